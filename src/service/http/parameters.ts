/** The query parameters of the service: what each one may say, for readers of requests and for the OpenAPI document. */
import { ORDER_STATES, type OrderState } from '../../contract/bot-bodies.ts'
import { parseInstant } from '../instants.ts'
import { invalidPayload } from '../refusal.ts'

export interface Parameter {
  readonly description: string
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>
}

const wholeNumber = { type: 'string', pattern: '^\\d{1,15}$' }

export const PARAMETERS = {
  userEmail: {
    description: 'The account whose bots are listed; only the account of the key is answered (A-25).',
    schema: { type: 'string' },
  },
  type: { description: 'Kind of market; spot only (A-22).', schema: { type: 'string', enum: ['spot'] } },
  quote: { description: 'Quote asset ticker.', schema: { type: 'string' } },
  closePosition: {
    description: 'Whether the position is sold at the market (A-31). Default false.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  limit: {
    description: 'Items of a page, clamped to 1 … 1000 (A-14, A-34). Default 100.',
    schema: { ...wholeNumber, default: '100' },
  },
  before: { description: 'Cursor of a following page, as `next` gives it.', schema: wholeNumber },
  since: {
    description: 'ISO 8601 instant: jobs changed, or executions made, at or after it.',
    schema: { type: 'string' },
  },
  state: { description: 'Orders in this state only.', schema: { type: 'string', enum: ORDER_STATES } },
} as const satisfies Record<string, Parameter>

export type ParameterName = keyof typeof PARAMETERS

export type Query = Readonly<Record<string, string | undefined>>

const defaultPage = 100
const longestPage = 1000

export function readLimit({ limit }: Query): number {
  return Math.min(Math.max(readWhole('limit', limit) ?? defaultPage, 1), longestPage)
}

export function readBefore({ before }: Query): number | null {
  return readWhole('before', before) ?? null
}

/** ms UTC. */
export function readSince({ since }: Query): number | null {
  if (since === undefined) return null
  const time = parseInstant(since)
  if (time !== undefined) return time
  throw invalidPayload([{ field: 'since', message: `expected an ISO 8601 instant, found ${JSON.stringify(since)}` }])
}

export function readOrderState({ state }: Query): OrderState | null {
  if (state === undefined) return null
  const known = ORDER_STATES.find((name) => name === state)
  if (known !== undefined) return known
  const message = `expected one of ${ORDER_STATES.join(', ')}, found ${JSON.stringify(state)}`
  throw invalidPayload([{ field: 'state', message }])
}

/** Absent = false: nothing is sold that nobody asked to sell. */
export function readClosePosition({ closePosition }: Query): boolean {
  if (closePosition === undefined || closePosition === 'false') return false
  if (closePosition === 'true') return true
  const message = `expected true or false, found ${JSON.stringify(closePosition)}`
  throw invalidPayload([{ field: 'closePosition', message }])
}

function readWhole(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidPayload([{ field, message: `expected a whole number, found ${JSON.stringify(text)}` }])
}
