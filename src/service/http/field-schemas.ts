/** The kinds of field that the schemas of bodies are made of. */
import { z } from 'zod'

export const text = z.string()
export const number = z.number()
export const count = z.int().min(0)
export const flag = z.boolean()
export const time = z.iso.datetime()
export const date = z.iso.date()
export const maybe = <T extends z.ZodType>(schema: T) => schema.nullable()

/** Text of a request: 1–200 characters. */
export const shortText = text.min(1).max(200)
export const anyObject = z.record(text, z.unknown())
