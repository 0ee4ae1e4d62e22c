/** Reads conventions from a flag: a preset's name, the text as in a study, or a file with that text. */
import { existsSync } from 'node:fs'
import type { Conventions } from '../engine/conventions.ts'
import { readInput } from './input.ts'

/**
 * The name of a preset wins over a file with the same name. @throws Failure configInvalid with every problem, usage for a file
 * that cannot be read
 */
export async function readConventions(flag: string, given: string): Promise<Conventions> {
  const [{ parseConventions }, { CONVENTION_PRESETS }] = await Promise.all([
    import('../workbench/study/conventions-text.ts'),
    import('../engine/conventions.ts'),
  ])
  const isText = Object.hasOwn(CONVENTION_PRESETS, given) || given.trimStart().startsWith('{') || !existsSync(given)
  if (!isText)
    return parseConventions(readInput(given), { place: given, subject: `${given} is not a set of conventions` })
  return parseConventions(given, {
    place: flag,
    subject: `${flag} "${given}" cannot be used`,
    hint: `write ${flag} "{ preset: three-commas, safetyOrderSize: 15 }", or a file with that text`,
  })
}
