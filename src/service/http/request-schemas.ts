/** Schemas of the bodies that a caller sends. */
import { z } from 'zod'
import { type BOT_FIELDS, type FieldRow, forEachField, STRATEGY_TYPE } from '../../contract/bot.ts'
import { INTERVAL_NAMES } from '../../contract/market.ts'
import { flag, number, shortText, text } from './field-schemas.ts'
import { settings } from './settings-schemas.ts'

/** One entry per field of a config. */
export const configShape = forEachField((_, row) => configField(row))

function configField({ bounds: { above, min, max, integer } }: FieldRow): z.ZodNumber {
  let schema = number.max(max)
  if (above !== undefined) schema = schema.gt(above)
  if (min !== undefined) schema = schema.min(min)
  return integer ? schema.int() : schema
}

const marketShape = { exchange: shortText, baseAsset: shortText, quoteAsset: shortText }
const strategyType = z.literal(STRATEGY_TYPE)

const requestConfigShape = forEachField((field, { fallback }) =>
  fallback === undefined ? configShape[field] : configShape[field].default(fallback),
)

/** POST /api/bots, and what an update and a validation take. */
export const botPayload = z.strictObject({
  userEmail: shortText,
  name: shortText,
  strategyType,
  ...marketShape,
  ...requestConfigShape,
  isDemo: flag,
} satisfies Record<keyof typeof BOT_FIELDS, z.ZodType>)

/** POST /api/backtest/jobs. */
export const jobRequest = z.strictObject({
  name: shortText.exactOptional(),
  strategyType,
  ...marketShape,
  from: text.describe('ISO 8601 date or instant, inclusive'),
  to: text.describe('ISO 8601 date or instant, exclusive'),
  interval: z.enum(INTERVAL_NAMES).exactOptional(),
  settings: settings.exactOptional(),
  ...requestConfigShape,
})
