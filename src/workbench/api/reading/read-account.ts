/** Reads limits, symbols, bots and validations (A-11, A-15 … A-17), tolerantly. */
import { everyMentionIsTrue } from '../demo-only.ts'
import { readConfig, readMarket, usableIdOf } from './read-job.ts'
import type { BotReading, BotReadingState, LimitsReading, SymbolReading, ValidationReading } from './readings.ts'
import { booleanOf, fieldsOf, firstOwn, idOf, numberOf, own, textOf, timeOf } from './single-values.ts'
import { wordsIn } from './spoken-words.ts'

const hourMs = 3_600_000

/** null when the body is not an object; a number that it does not contain is null. */
export function readLimitsBody(body: unknown): LimitsReading | null {
  const fields = fieldsOf(body)
  if (fields === null) return null
  const windowHours = numberOf(own(fields, 'windowHours'))
  const scopes = own(fields, 'scopes')
  return {
    limit: numberOf(own(fields, 'limit')),
    windowMs: windowHours === null ? null : windowHours * hourMs,
    windowType: (['sliding', 'fixed'] as const).find((type) => type === own(fields, 'windowType')) ?? null,
    used: numberOf(own(fields, 'used')),
    remaining: numberOf(own(fields, 'remaining')),
    nextAt: timeOf(own(fields, 'nextAt')),
    ...(Array.isArray(scopes) ? { scopes: scopes.flatMap((scope) => textOf(scope) ?? []) } : {}),
  }
}

export function readSymbolBody(item: unknown): SymbolReading | null {
  const fields = fieldsOf(item)
  const baseAsset = textOf(own(fields, 'baseAsset'))
  const quoteAsset = textOf(own(fields, 'quoteAsset'))
  if (baseAsset === null || quoteAsset === null) return null
  const candles = own(fields, 'candles')
  return {
    symbol: textOf(own(fields, 'symbol')) ?? `${baseAsset}${quoteAsset}`,
    baseAsset,
    quoteAsset,
    tickSize: numberOf(own(fields, 'tickSize')),
    lotSize: numberOf(own(fields, 'lotSize')),
    minNotional: numberOf(own(fields, 'minNotional')),
    candles: Array.isArray(candles) ? candles.map(readSpan).filter((span) => span !== null) : [],
  }
}

function readSpan(item: unknown): SymbolReading['candles'][number] | null {
  const fields = fieldsOf(item)
  const interval = textOf(own(fields, 'interval'))
  return interval === null ? null : { interval, from: timeOf(own(fields, 'from')), to: timeOf(own(fields, 'to')) }
}

/**
 * `rawText`: the text as received, of the whole reply or of the bot's item in a list. This text decides whether the bot is a
 * demo. Returns null without a usable id.
 */
export function readBotBody(
  body: unknown,
  rawText: string,
  stateOf: (word: string) => BotReadingState,
): BotReading | null {
  const fields = fieldsOf(body)
  const id = usableIdOf(fields)
  if (id === null) return null
  const stateText = textOf(firstOwn(fields, ['state', 'status'])) ?? ''
  return {
    id,
    name: textOf(own(fields, 'name')),
    userEmail: textOf(own(fields, 'userEmail')),
    strategyType: textOf(own(fields, 'strategyType')),
    market: readMarket(fields),
    config: readConfig(fields),
    isDemo: own(fields, 'isDemo') === true && everyMentionIsTrue(rawText),
    state: stateOf(stateText),
    stateText,
    createdAt: timeOf(own(fields, 'createdAt')),
    updatedAt: timeOf(own(fields, 'updatedAt')),
    startedAt: timeOf(own(fields, 'startedAt')),
    stoppedAt: timeOf(own(fields, 'stoppedAt')),
    stopReason: textOf(own(fields, 'stopReason')),
    tradedUntil: timeOf(own(fields, 'tradedUntil')),
    problem: textOf(own(fields, 'problem')),
    rawText,
  }
}

/** null when the body does not say whether the payload is valid. */
export function readValidationBody(body: unknown): ValidationReading | null {
  const fields = fieldsOf(body)
  const valid = booleanOf(own(fields, 'valid'))
  if (valid === null) return null
  const errors = own(fields, 'errors')
  return { valid, errors: Array.isArray(errors) ? errors.map(readProblem) : [] }
}

function readProblem(item: unknown): { field: string; message: string } {
  const fields = fieldsOf(item)
  return {
    field: textOf(own(fields, 'field')) ?? '',
    message: textOf(own(fields, 'message')) ?? idOf(item) ?? (wordsIn(item).join('; ') || JSON.stringify(item)),
  }
}
