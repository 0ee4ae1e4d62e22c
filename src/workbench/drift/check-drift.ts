/** One look at a bot beside its backtest: what the service tells, the local candles, the comparison, and what is not known. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { INTERVALS, marketName } from '../../contract/market.ts'
import { ENGINE_VERSION } from '../../engine/backtest.ts'
import { Failure } from '../../errors.ts'
import type { BotReading, PnlReading } from '../api/reading/readings.ts'
import type { DriftCheck } from '../store/drift-checks.ts'
import { findTrialOfBot } from '../store/promotions.ts'
import { readTried } from '../store/readers.ts'
import type { TrialRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { compareLife, type LifeComparison } from './compare-life.ts'
import { seriesOf } from './drift-series.ts'
import { chooseTerms, type DriftTerms, type GivenTerms } from './drift-terms.ts'
import { DRIFT_THRESHOLDS, type DriftVerdict } from './drift-verdict.ts'
import { type LifeCandles, readLifeCandles } from './life-candles.ts'
import type { LifeReading } from './read-life.ts'
import { type BotSpan, commandsOf, replayLife } from './replay-life.ts'
import { dealsOfFills, fillsOfExecutions, type OrUntold, ordersOfService, type TradedFill } from './traded-life.ts'

export interface DriftQuestion {
  readonly identity: string
  /** Whose calibration and results tell what the service computes with: that of the key that runs studies. */
  readonly jobsIdentity: string
  readonly candlesFolder: string
  /** ms UTC: where the service does not say how far a bot has come. */
  readonly now: number
  readonly given: GivenTerms
}

export interface FoundDrift extends DriftCheck {
  readonly verdict: DriftVerdict
  readonly alternatives: LifeComparison['alternatives']
}

interface Unknown {
  readonly what: string
  readonly reason: string
}

/**
 * Compares from the bot's first start to the end of what the bot has seen, or of the local candles if they end before.
 * @throws Failure notFound for a bot that was never started, serviceUnreadable where its market or its configuration is not told,
 *   candlesMissing, candlesInvalid
 */
export function checkDrift(
  store: Store,
  reading: LifeReading,
  { identity, jobsIdentity, candlesFolder, now, given }: DriftQuestion,
): FoundDrift {
  const { bot } = reading
  const unknown: Unknown[] = []
  const pnl = keep(reading.pnl, 'profit', unknown)
  const trial = findTrial(store, identity, bot.id)
  const { market, config } = demandConfig(bot, trial)
  const terms = chooseTerms(store, { identity: jobsIdentity, pnl, trial }, given)
  const from = startOf(reading, pnl)
  const local = readLifeCandles(candlesFolder, {
    ...{ market, from },
    interval: pnl?.seen?.interval ?? trial?.candles?.interval ?? null,
    to: pnl?.seen?.to ?? bot.tradedUntil ?? pnl?.marketTime ?? now,
  })
  const told = pnl?.seen?.to ?? bot.tradedUntil
  const isWhole = told === null || told === local.to
  if (!isWhole) {
    unknown.push({ what: 'candles', reason: `the local ones end at ${iso(local.to)}, the bot’s at ${iso(told)}` })
  }
  noteChanges(bot, from, unknown)
  const fills = toldFills(reading, local, unknown)
  const orders = reading.orders
  const placed = isWhole ? keep('value' in orders ? ordersOfService(orders.value) : orders, 'orders', unknown) : null
  const span: BotSpan = { config, from, stoppedAt: requestedStop(bot, fills) }
  const about: About = {
    ...{ identity, bot, market, from, local, terms, unknown },
    trial: trial?.fingerprint ?? null,
  }
  if (fills === null) return byProfitAlone(about, span, isWhole ? pnl : null)
  const commands = commandsOf(span, dealsOfFills(fills))
  const ground = { candles: local.candles, symbol: local.symbol, commands }
  const life = {
    fills,
    orders: placed,
    netProfit: isWhole ? (pnl?.netProfit ?? null) : null,
    feePercent: paidPercent(pnl),
  }
  const found = compareLife(ground, life, terms)
  return {
    ...headOf(about),
    deals: found.deals,
    orders: found.orders,
    profit: found.profit,
    verdict: found.verdict,
    alternatives: found.alternatives,
    series: seriesOf(found, { candles: local.candles, terms, equity: isWhole ? (pnl?.dailyEquity ?? []) : [] }),
  }
}

interface About {
  readonly identity: string
  readonly bot: BotReading
  readonly market: string
  readonly from: number
  readonly local: LifeCandles
  readonly terms: DriftTerms
  readonly trial: string | null
  readonly unknown: readonly Unknown[]
}

function headOf({ identity, bot, market, from, local, terms, trial, unknown }: About) {
  const { source, conventions, costs } = terms
  return {
    ...{ identity, trial, market, unknown },
    botId: bot.id,
    botName: bot.name,
    span: { from, to: local.to },
    candles: { interval: local.interval, hash: local.hash },
    engineVersion: ENGINE_VERSION,
    terms: { source, conventions: { ...conventions }, costs },
  }
}

/** Where no executions can be read: only the profits can be compared, and nothing can be put down to a cause. */
function byProfitAlone(about: About, span: BotSpan, pnl: PnlReading | null): FoundDrift {
  const { local, terms } = about
  const ground = { candles: local.candles, symbol: local.symbol, commands: commandsOf(span, []) }
  const backtest = replayLife(ground, terms).netProfit
  const bot = pnl?.netProfit ?? null
  const gap = bot === null ? null : bot - backtest
  const percent = gap === null ? null : (100 * Math.abs(gap)) / span.config.investment
  const drift = percent === null ? 'unknown' : percent > DRIFT_THRESHOLDS.gapPercent ? 'large' : 'small'
  const sentence =
    percent === null
      ? 'the service tells neither what the bot did nor its profit'
      : `profit differs by ${percent.toPrecision(3)} % of the investment; which deals, the service does not tell`
  return {
    ...headOf(about),
    deals: null,
    orders: null,
    profit: {
      ...{ bot, backtest, gap },
      causes: { price: null, fee: null, timing: null, convention: null, candles: null, unexplained: gap },
    },
    verdict: { drift, causes: gap === null ? [] : ['unexplained'], thresholds: DRIFT_THRESHOLDS, sentence },
    alternatives: [],
    series: null,
  }
}

function findTrial(store: Store, identity: string, botId: string): TrialRecord | null {
  const promoted = findTrialOfBot(store, { identity, botId })
  if (promoted === undefined) return null
  const tried = readTried(store, promoted.fingerprint)
  return tried.find(({ settings }) => settings === promoted.settings) ?? tried.at(0) ?? null
}

/** What the bot lacks of its configuration is taken from the trial that it was made of. */
function demandConfig(
  bot: BotReading,
  trial: TrialRecord | null,
): { readonly market: string; readonly config: DcaSpotConfig } {
  const config: Partial<DcaSpotConfig> = { leverage: 1, ...trial?.config, ...bot.config }
  const market = bot.market ?? trial?.market
  const lacking: string[] = CONFIG_FIELDS.filter((field) => config[field] === undefined)
  if (market === undefined) lacking.push('market')
  if (market === undefined || lacking.length > 0) {
    throw new Failure(
      'serviceUnreadable',
      `bot ${bot.id} cannot be replayed: the service does not tell its ${lacking.join(', ')}`,
    )
  }
  return { market: marketName(market), config: config as DcaSpotConfig } // every field is there
}

/** Of its first start, or of the first candle after it. @throws Failure notFound when it was never started */
function startOf({ bot, executions, orders }: LifeReading, pnl: PnlReading | null): number {
  const filled = 'value' in executions ? executions.value.flatMap(({ executedAt }) => executedAt ?? []) : []
  const placed = 'value' in orders ? orders.value.flatMap(({ placedAt }) => placedAt ?? []) : []
  const times = [...filled, ...placed, ...(bot.startedAt === null ? [] : [bot.startedAt])]
  const from = pnl?.seen?.from ?? (times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other)))
  if (from !== null) return from
  throw new Failure('notFound', `bot ${bot.id} has not traded yet (${bot.stateText || 'no state told'})`, {
    hint: `there is nothing to compare; \`dcalab bots start ${bot.id}\` starts it`,
  })
}

/** A stop that a person asked for. One that the bot made itself follows from the replay. */
function requestedStop(bot: BotReading, fills: readonly TradedFill[] | null): number | null {
  if (bot.state !== 'stopped' || bot.stoppedAt === null) return null
  const last = fills?.at(-1)
  const isOwn = bot.stopReason !== null && bot.stopReason !== 'request'
  return isOwn || (bot.stopReason === null && last?.role === 'stopLoss') ? null : bot.stoppedAt
}

function toldFills(
  { executions }: LifeReading,
  { interval, to }: LifeCandles,
  unknown: Unknown[],
): readonly TradedFill[] | null {
  const told =
    'value' in executions ? fillsOfExecutions(executions.value, { intervalMs: INTERVALS[interval] }) : executions
  return keep(told, 'executions', unknown)?.filter(({ at }) => at < to) ?? null
}

/** Fees of all that was bought and sold, percent. */
function paidPercent(pnl: PnlReading | null): number | null {
  const { feesPaid = null, volume = null } = pnl ?? {}
  return feesPaid === null || volume === null || volume === 0 ? null : (100 * feesPaid) / volume
}

/** What happened to a bot that its service does not tell. */
function noteChanges(
  { startedAt, stoppedAt, updatedAt, createdAt }: BotReading,
  from: number,
  unknown: Unknown[],
): void {
  if (startedAt !== null && startedAt > from) {
    const reason = `it was started again at ${iso(startedAt)}; when it was stopped before is known only where it sold`
    unknown.push({ what: 'commands', reason })
  }
  const last = Math.max(startedAt ?? 0, stoppedAt ?? 0, createdAt ?? 0)
  if (updatedAt !== null && last > 0 && updatedAt > last) {
    const reason = `it was changed at ${iso(updatedAt)}; all of it is replayed with its present configuration`
    unknown.push({ what: 'config', reason })
  }
}

function keep<T>(told: OrUntold<T>, what: string, unknown: Unknown[]): T | null {
  if ('value' in told) return told.value
  unknown.push({ what, reason: told.untold })
  return null
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
