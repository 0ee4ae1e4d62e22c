/** The query parameters of the service, one row per endpoint and name: for readers of requests, the OpenAPI document and the page. */
import { ORDER_STATES } from '../../contract/bot-bodies.ts'
import type { ENDPOINTS, EndpointName } from '../../contract/endpoints.ts'
import { TICKER_PATTERN } from '../../contract/market.ts'
import { parseInstant } from '../payload.ts'
import { invalidPayload } from '../refusal.ts'

// The kinds of query parameters: for each what a description says of it, and how it is read. Both from one place, so that they agree.

interface Parameter<Value = unknown> {
  readonly description: string
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>
  /** An absent parameter has a value, too. */
  readonly read: (text: string | undefined) => { readonly value: Value } | { readonly expected: string }
}

function anyText(description: string): Parameter<string | undefined> {
  return { description, schema: { type: 'string' }, read: (text) => ({ value: text }) }
}

/** A misspelt one would silently select nothing. */
function ticker(description: string): Parameter<string | undefined> {
  return {
    description,
    schema: { type: 'string', pattern: TICKER_PATTERN },
    read: (text) =>
      text === undefined || new RegExp(TICKER_PATTERN).test(text)
        ? { value: text }
        : { expected: 'an upper-case ticker' },
  }
}

/** One of some words; `standard` is what nothing means. */
function oneOf<const Word extends string, const Standard extends Word | null>(
  words: readonly Word[],
  standard: Standard,
  description: string,
): Parameter<Word | Standard> {
  return {
    description,
    schema: { type: 'string', enum: words, ...(standard === null ? {} : { default: standard }) },
    read: (text) => {
      if (text === undefined) return { value: standard }
      const value = words.find((word) => word === text)
      return value === undefined ? { expected: listed(words) } : { value }
    },
  }
}

function listed(words: readonly string[]): string {
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
}

const wholePattern = '^\\d{1,15}$'

function whole<const Standard extends number | null>(
  standard: Standard,
  description: string,
): Parameter<number | Standard> {
  return {
    description,
    schema: { type: 'string', pattern: wholePattern, ...(standard === null ? {} : { default: String(standard) }) },
    read: (text) => {
      if (text === undefined) return { value: standard }
      return new RegExp(wholePattern).test(text) ? { value: Number(text) } : { expected: 'a whole number' }
    },
  }
}

/** ms UTC; null = not given. */
function instant(description: string): Parameter<number | null> {
  return {
    description,
    schema: { type: 'string', examples: ['2021-04-21', '2021-04-21T06:30:00Z'] },
    read: (text) => {
      if (text === undefined) return { value: null }
      const value = parseInstant(text)
      return value === undefined ? { expected: 'an ISO 8601 instant' } : { value }
    },
  }
}

const LONGEST_PAGE = 1000

const size = whole(100, `Items of a page, clamped to 1 … ${LONGEST_PAGE} (A-14, A-34). Default 100.`)

/** A number out of bounds means the nearest one within them. */
const limit: Parameter<number> = {
  ...size,
  read: (text) => {
    const asked = size.read(text)
    return 'value' in asked ? { value: Math.min(Math.max(asked.value, 1), LONGEST_PAGE) } : asked
  },
}
const before = whole(null, 'Cursor of a following page, as `next` gives it.')

/** The parameters that the API document names for an endpoint, and any of our own. */
type Row<Name extends EndpointName> = Readonly<Record<(typeof ENDPOINTS)[Name]['query'][number], Parameter>> &
  Readonly<Record<string, Parameter>>

/** Those that the API document names come first. */
export const PARAMETERS = {
  listBots: {
    userEmail: anyText('The account whose bots are listed; only the account of the key is answered (A-25).'),
    limit,
    before,
  },
  readBot: {},
  listExecutions: { limit, before, since: instant('ISO 8601 instant: executions made at or after it.') },
  listOrders: { limit, before, state: oneOf(ORDER_STATES, null, 'Orders in this state only.') },
  readPnl: {},
  listSymbols: {
    type: oneOf(['spot'], 'spot', 'Kind of market; spot only (A-22).'),
    quote: ticker('Quote asset ticker.'),
  },
  validateBot: {},
  createBot: {},
  updateBot: {},
  startBot: {},
  stopBot: {
    // Absent = false: nothing is sold that nobody asked to sell.
    closePosition: oneOf(
      ['true', 'false'],
      'false',
      'Whether the position is sold at the market (A-31). Default false.',
    ),
  },
  readLimits: {},
  listJobs: { limit, since: instant('ISO 8601 instant: jobs changed at or after it.'), before },
  readJob: {},
  createJob: {},
  deleteJob: {},
} satisfies { readonly [Name in EndpointName]: Row<Name> }

type Query = Readonly<Record<string, string | undefined>>

type ReadValue<Row> = Row extends Parameter<infer Value> ? Value : never
type Values<Name extends EndpointName> = {
  readonly [Field in keyof (typeof PARAMETERS)[Name]]: ReadValue<(typeof PARAMETERS)[Name][Field]>
}

export function parametersOf(name: EndpointName): readonly (readonly [field: string, parameter: Parameter])[] {
  return Object.entries(PARAMETERS[name])
}

/** @throws Refusal InvalidPayload with every parameter that cannot be read */
export function readParameters<Name extends EndpointName>(name: Name, query: Query): Values<Name> {
  const read = parametersOf(name).map(([field, parameter]) => [field, parameter.read(query[field])] as const)
  const problems = read.flatMap(([field, found]) =>
    'value' in found ? [] : [{ field, message: `expected ${found.expected}, found ${JSON.stringify(query[field])}` }],
  )
  if (problems.length > 0) throw invalidPayload(problems)
  return Object.fromEntries(
    read.map(([field, found]) => [field, 'value' in found ? found.value : undefined]),
  ) as Values<Name> // one value per row, as its own reader gives it
}
