/**
 * Every question that the API document leaves open and that we depend on, with one numbered answer: `ASSUMPTIONS`. Code that relies on an
 * answer cites its number. The page ASSUMPTIONS.md is written from it.
 */

/** Those about running bots: start, stop, update, and the lists and the profit and loss that follow. */
const BOT_ASSUMPTIONS = [
  {
    id: 'A-29',
    quote: 'States of a bot or of a backtest job, and the moves between them: not shown.',
    answer:
      'Start and stop may be repeated: starting a running bot and stopping a stopped one answer 200 with the bot as it is, a bot never started stays created. A bot ends by itself when not even its base order fits (stopReason outOfCash) or after a stop loss where the conventions say so (stopLoss); it may be started again.',
    reliedOnBy: ['service', 'promote'],
  },
  {
    id: 'A-30',
    quote: 'Behaviour of the trading strategies beyond the fields of the creation payload: not shown.',
    answer:
      'A started demo bot trades on the candles of its market in market time, candle by candle: its first deal opens at the first candle that opens at or after the start, and what it does on a candle shows once the candle is complete. Its state is computed from its orders and the candles up to now whenever it is read; interval (the finest that covers the start), conventions, costs and symbol rules are fixed at its first start, which is refused (409 BotUnusable) where no candles of the market are stored. Market time is the wall clock unless the service is set otherwise; a market whose candles end stands still.',
    reliedOnBy: ['service', 'promote'],
  },
  {
    id: 'A-31',
    quote: 'closePosition (boolean; the form shown passes false)',
    answer:
      'true sells the position at the close of the last complete candle, less fee and slippage; false, also when the parameter is absent, cancels the orders and keeps the position as it is, valued at the market. A later start places the orders of a kept position again, at their prices, at which they also fill where the market has passed them meanwhile; a later stop with true sells it.',
    reliedOnBy: ['service', 'cli'],
  },
  {
    id: 'A-32',
    quote: 'Request bodies of validate, update and backtest job creation: not shown.',
    answer:
      'An update takes effect with the next deal: a deal that is open, or kept by a stopped bot, keeps its ladder, take profit and stop. userEmail and isDemo never change; exchange, assets and investment only before the first start. A change of these is an invalid payload.',
    reliedOnBy: ['service', 'cli'],
  },
  {
    id: 'A-33',
    quote: 'POST /api/bots/{id}/start on a real bot uses funds.',
    answer:
      'The embedded plan holds demo bots only, so a start there never uses funds. Start and stop take no body; one that is sent is not read.',
    reliedOnBy: ['service', 'cli'],
  },
  {
    id: 'A-34',
    quote:
      'Further query parameters (paging, filtering, time ranges) of the executions, orders, pnl and job list endpoints: not shown.',
    answer:
      'Lists of bots, executions and orders come newest first and take limit (1–1000, clamped, default 100) and before (a cursor); next is the query string of the following page or null. Executions take since (ISO time, executed at or after it), orders take state (open, filled, cancelled); pnl takes nothing. Job lists: A-14.',
    reliedOnBy: ['service', 'api', 'cli'],
  },
  {
    id: 'A-35',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer:
      'An execution is { id, orderId, deal, side, role, safetyOrder, price, quantity, quote, fee, profit, executedAt }: role is base, safety, takeProfit, stopLoss or close; profit stands on the sale that closes a deal; executedAt is the open of the candle on which it filled.',
    reliedOnBy: ['service', 'api', 'cli', 'promote'],
  },
  {
    id: 'A-36',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer:
      'An order is { id, deal, side, type, role, safetyOrder, state, price, quantity, placedAt, updatedAt }; type is market, limit or stop. Open ones are the safety orders not yet reached, the take profit and the stop; ids stay the same from reading to reading.',
    reliedOnBy: ['service', 'api', 'cli'],
  },
  {
    id: 'A-37',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer:
      'Profit and loss of a bot speaks of its whole life in the measures of a backtest: investment, cash, equity, realizedProfit, unrealizedProfit, netProfit, roiPercent, maxDrawdownPercent, feesPaid, volume, orders, closedDeals, winRatePercent, stopLosses, openDeal, dailyEquity, counts of what candles and cash did not allow, with marketTime, the candles, conventions and costs it rests on. A deal sold by a stop with closePosition=true is a closed deal.',
    reliedOnBy: ['service', 'api', 'cli', 'promote'],
  },
] as const

interface Assumption {
  readonly id: `A-${number}`
  /** Word for word in the document; a test looks it up. */
  readonly quote: string
  readonly answer: string
  /** Rooms whose code relies on it; those of `workbench/` without it. */
  readonly reliedOnBy: readonly string[]
}

export const ASSUMPTIONS: readonly Assumption[] = [
  {
    id: 'A-01',
    quote: 'Behaviour of the trading strategies beyond the fields of the creation payload: not shown.',
    answer:
      'DCA_SPOT is one long deal at a time: a market base order, a ladder of limit safety orders, one take profit, an optional stop; every choice platforms disagree on is a named convention recorded with each result.',
    reliedOnBy: ['engine', 'service'],
  },
  {
    id: 'A-02',
    quote:
      'Which fields are required, their bounds, and units other than the percent in dcaPriceScalePercent: not shown.',
    answer:
      'All fields of the payload are required except leverage (1) and stopLoss (0 = none). Amounts are quote currency; dcaPriceScalePercent, takeProfit and stopLoss are percent.',
    reliedOnBy: ['engine', 'service', 'study', 'promote'],
  },
  {
    id: 'A-03',
    quote:
      'Which fields are required, their bounds, and units other than the percent in dcaPriceScalePercent: not shown.',
    answer: 'Bounds are those of CONFIG_BOUNDS; leverage is 1 because the strategy is spot.',
    reliedOnBy: ['service', 'study'],
  },
  {
    id: 'A-04',
    quote: 'Allowed values of strategyType other than DCA_SPOT: not shown.',
    answer: 'DCA_SPOT only; anything else is an invalid payload.',
    reliedOnBy: ['service', 'promote'],
  },
  {
    id: 'A-05',
    quote: 'Allowed values of exchange: not shown.',
    answer:
      'The exchanges the service holds candles for; an unknown one is an invalid payload (404 on the symbols path).',
    reliedOnBy: ['service', 'study'],
  },
  {
    id: 'A-06',
    quote: 'Its format: not shown beyond being a path segment.',
    answer:
      'An id is any string of 1–200 characters except ".", "..", or one with control characters; read losslessly from the text (never as a float) and percent-encoded in paths.',
    reliedOnBy: ['api', 'store'],
  },
  {
    id: 'A-07',
    quote:
      'the operations that count toward the backtest allowance, and the window type (sliding or fixed): not shown.',
    answer:
      'Our client counts every POST that may have been counted, in a sliding window of completion times, which is safe for sliding and fixed windows alike, and a deletion unless the limits before and after it show that it was free; where the limits say that more is left it is used, where less, the service is asked first. Our service counts accepted POST /api/backtest/jobs in a sliding window; deleted and failed jobs stay counted; refused ones do not count.',
    reliedOnBy: ['run', 'store', 'service'],
  },
  {
    id: 'A-08',
    quote: 'States of a bot or of a backtest job, and the moves between them: not shown.',
    answer:
      'Jobs: queued → running → completed | failed, and deleted from any of them. Bots: created → running → stopped → running. A state we do not know keeps being polled.',
    reliedOnBy: ['service', 'api', 'run'],
  },
  {
    id: 'A-09',
    quote: 'Success status codes of the endpoints: not shown.',
    answer: 'Our service: 201 for created, 204 for a deleted job, 200 else. Our client takes any 2xx.',
    reliedOnBy: ['service', 'api'],
  },
  {
    id: 'A-10',
    quote: 'Shape of the error body: not shown.',
    answer: '{ error: { code, message, details? } }. The client finds the code name anywhere in the body of a refusal.',
    reliedOnBy: ['service', 'api'],
  },
  {
    id: 'A-11',
    quote: 'GET /api/backtest/limits returns backtest limits; its body is not described.',
    answer:
      '{ limit, windowHours, windowType, used, remaining, nextAt, scopes }: the scopes of the key that asks, where the service announces them.',
    reliedOnBy: ['service', 'api', 'run'],
  },
  {
    id: 'A-12',
    quote: 'Request bodies of validate, update and backtest job creation: not shown.',
    answer:
      'validate and update take the creation payload; a job takes the DCA_SPOT fields, exchange, baseAsset, quoteAsset, from, to (ISO 8601, from ≤ open time < to), optional interval and an optional name that is echoed.',
    reliedOnBy: ['service', 'api'],
  },
  {
    id: 'A-13',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer:
      'A job is { id, name, state, createdAt, startedAt, finishedAt, request, result, error }; a result carries every metric, the deals, the open deal, the candles used, conventions, costs and symbol rules. openedAt and closedAt of a deal are opens of candles; its duration goes on to the end of its last candle.',
    reliedOnBy: ['service', 'api'],
  },
  {
    id: 'A-14',
    quote:
      'Further query parameters (paging, filtering, time ranges) of the executions, orders, pnl and job list endpoints: not shown.',
    answer:
      'The job list takes limit (1–1000, clamped; a page also ends before 4 MB) and since (ISO time, jobs changed at or after it), newest first, and answers { jobs, next } with the whole result in each item.',
    reliedOnBy: ['service', 'api', 'run'],
  },
  {
    id: 'A-15',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer: 'A symbol is { exchange, type, symbol, baseAsset, quoteAsset, tickSize, lotSize, minNotional, candles }.',
    reliedOnBy: ['service', 'api'],
  },
  {
    id: 'A-16',
    quote: 'Fields of a bot as it is returned: not shown.',
    answer:
      'The payload plus id, state, createdAt, updatedAt, startedAt, stoppedAt, stopReason, tradedUntil, problem; the list answers { bots, next }. A bot whose state our service cannot compute, as where its candles are no longer stored, is listed with what it was ordered to do, and with the problem; so is a running bot whose market has no candles after its start.',
    reliedOnBy: ['service', 'api', 'promote'],
  },
  {
    id: 'A-17',
    quote: 'Response bodies of every endpoint: not shown.',
    answer:
      'validate answers 200 with { valid, errors: [{ field, message }] } whether or not the payload is valid; what the plan refuses (A-19) is an error, too.',
    reliedOnBy: ['service', 'api', 'promote'],
  },
  {
    id: 'A-18',
    quote: 'Other statuses (for example for unknown identifiers or invalid payloads): not shown.',
    answer:
      '404 NotFound for unknown ids and paths, 400 InvalidPayload with one entry per field, 405 MethodNotAllowed, 413 PayloadTooLarge, 415 UnsupportedMediaType.',
    reliedOnBy: ['service', 'api'],
  },
  {
    id: 'A-19',
    quote: 'Exact conditions of BotPlanLimit, ApiKeyAddress and ApiKeyInvalid versus AuthRequired: not shown.',
    answer:
      'AuthRequired when a header is missing or empty, ApiKeyInvalid when the pair is unknown, mismatched or revoked, ApiKeyAddress when the key is bound to other addresses, BotPlanLimit when the plan’s number of bots is reached or the bot is real (the embedded plan offers demo bots only).',
    reliedOnBy: ['service', 'api', 'promote'],
  },
  {
    id: 'A-20',
    quote: 'How keys are issued, and what the address restriction behind ApiKeyAddress is: not shown.',
    answer:
      'Our service issues keys on its own command line and prints a pair once; a key may be bound to a list of IP addresses.',
    reliedOnBy: ['service', 'cli'],
  },
  {
    id: 'A-21',
    quote: 'Numeric bot-plan limits behind BotPlanLimit',
    answer: 'The embedded plan allows 20 bots per account.',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-22',
    quote: 'Allowed values of the symbols parameter type other than spot: not shown.',
    answer: 'spot only; another value is an invalid request.',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-23',
    quote: 'Exact conditions of BotPlanLimit, ApiKeyAddress and ApiKeyInvalid versus AuthRequired: not shown.',
    answer:
      'Our service decides in one order and before any work: AuthRequired, ApiKeyInvalid, ApiKeyAddress, ApiKeyRateLimit, unknown path (404) or method (405), ApiKeyScope, query and body (415, 413, 400), then the plan or the allowance.',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-24',
    quote: 'More than 120 requests per minute with one key',
    answer:
      'Our service counts, in a sliding minute, every request that passes keys and address, whatever becomes of it afterwards; requests refused by the rate itself do not count. Both 429 codes carry Retry-After in whole seconds.',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-25',
    quote: 'userEmail (string, the e-mail of the user whose bots are listed)',
    answer:
      'A key speaks for one account: another userEmail is an invalid payload, in the list as in validation and creation, whether that account exists or not; without the parameter the account of the key is listed. Ids of other accounts are unknown (404).',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-26',
    quote:
      'the operations that count toward the backtest allowance, and the window type (sliding or fixed): not shown.',
    answer:
      'Our service counts per account. Sliding: a job accepted at t counts until just before t + 24 h. Fixed: windows are days in UTC. An unlimited allowance is reported as a limit of 9007199254740991.',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-27',
    quote: 'Request bodies of validate, update and backtest job creation: not shown.',
    answer:
      'Our service refuses fields and query parameters it does not know, and keys or parameters given twice, because a misspelt one would silently change what is simulated or created. Markets and periods without candles are invalid payloads and cost nothing.',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-28',
    quote: 'Other statuses (for example for unknown identifiers or invalid payloads): not shown.',
    answer:
      'Our service adds 403 HostRefused and OriginRefused (what only a web page sends), 409 BotUnusable (executions, orders, pnl, start, and a stop with closePosition=true of a bot whose state cannot be computed), 500 InternalError and 503 ServiceBusy.',
    reliedOnBy: ['service'],
  },
  ...BOT_ASSUMPTIONS,
  {
    id: 'A-38',
    quote: 'Every endpoint needs the authentication headers of the Authentication part.',
    answer:
      'Our service adds two addresses outside the document, GET / (a page of the endpoints) and GET /openapi.json; they need no keys and count in no rate, and say what this service does. Host and Origin are checked there too. Served undisclosed (A-40) it has neither.',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-39',
    quote: 'More than 120 requests per minute with one key',
    answer:
      'The window types of our service can be chosen apart, for the minute and for the day. A fixed minute begins every 60 s of the machine’s monotonic clock; a fixed day begins at a phase, a time of day in UTC (default 00:00).',
    reliedOnBy: ['service'],
  },
  {
    id: 'A-40',
    quote: 'Request bodies of validate, update and backtest job creation: not shown.',
    answer:
      'Our service, and no other, takes settings in a job: { conventions (every one of them), costs { feePercent, slippagePercent }, symbol { tick, lot, minNotional } }. A part that is absent is the service’s own; all are fixed when the job is accepted, stated in its request from then on, and stated with its result. Served undisclosed it is as an unknown service’s: settings in a body are not read, and neither an identity nor what jobs and bots are computed with is said.',
    reliedOnBy: ['service', 'api'],
  },
]
