/** One comparison of a bot with its backtest: what the service reports, the local candles, the comparison, and what is not known. */

import { findSymbolRules, listCandles, loadCandles } from '../../../candles/folder/folder.ts'
import { hashCandles } from '../../../candles/months.ts'
import { continueCandles, findRecipe } from '../../../candles/synthetic/generate.ts'
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { INTERVALS, type Interval, isInterval, marketName } from '../../../contract/market.ts'
import { ENGINE_VERSION } from '../../../engine/backtest.ts'
import { type Candles, sliceCandles } from '../../../engine/candles.ts'
import type { SymbolRules } from '../../../engine/conventions.ts'
import { Failure, shellWord } from '../../../errors.ts'
import type { BotReading, ExecutionReading, PnlReading } from '../../api/reading/readings.ts'
import type { AssumedTerms } from '../../search/calibration/hypotheses.ts'
import type { DriftCheck, DriftDealRow, DriftEquityRows, DriftSeries } from '../../store/drift-checks.ts'
import { findTrialOfBot } from '../../store/promotions.ts'
import { readTried } from '../../store/readers.ts'
import type { TrialRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { type BookFinding, checkBooks, clockFinding, FARTHEST, joinParts, offsetOf, offsetOfAll } from './books.ts'
import { compareLife, type LifeComparison } from './compare-life.ts'
import { chooseTerms, type DriftTerms, type GivenTerms, promotedOtherwise } from './drift-terms.ts'
import { DRIFT_THRESHOLDS, type DriftVerdict } from './drift-verdict.ts'
import { type ShownCosts, shownCosts } from './explain-life.ts'
import {
  type BotSpan,
  commandsOf,
  dealProfit,
  dealsOfFills,
  fillsOfExecutions,
  type LifeReading,
  type OrUnstated,
  ordersOfService,
  replayLife,
  type TradedDeal,
  type TradedFill,
} from './replay-life.ts'

// Deals and equity of a bot and its backtest as rows that a chart can draw. Pure.

/** `equity`: of the bot, as far as its service reports it. */
function seriesOf(
  { pairs, backtest }: Pick<LifeComparison, 'pairs' | 'backtest'>,
  {
    candles,
    terms,
    equity,
  }: { readonly candles: Candles; readonly terms: AssumedTerms; readonly equity: DriftEquityRows },
): DriftSeries {
  const valued = { lastClose: candles.close.at(-1) ?? 0, feePercent: terms.costs.feePercent }
  const rowOf = (deal: TradedDeal | null, kind: string): readonly DriftDealRow[] => {
    if (deal === null) return []
    const sale = deal.fills.find(({ role }) => role !== 'base' && role !== 'safety')
    const row = {
      openedAt: new Date(deal.openedAt).toISOString(),
      closedAt: deal.closedAt === null ? null : new Date(deal.closedAt).toISOString(),
      exit: deal.exit,
      safetyOrders: deal.safetyOrders,
      openPrice: deal.fills[0].price,
      closePrice: sale?.price ?? null,
      profit: dealProfit(deal, valued),
      kind,
    }
    return [row]
  }
  return {
    bot: { deals: pairs.flatMap(({ bot, kind }) => rowOf(bot, kind)), equity },
    backtest: { deals: pairs.flatMap((pair) => rowOf(pair.backtest, pair.kind)), equity: backtest.dailyEquity },
  }
}

// The local candles of a bot's life. A synthetic market is continued by its generator, as the embedded service does it.

interface LifeCandles {
  readonly candles: Candles
  readonly interval: Interval
  readonly symbol: SymbolRules
  /** Of the candles compared on. */
  readonly hash: string
  /** End of the last one, ms UTC. */
  readonly to: number
}

interface CandleQuestion {
  /** `exchange/BASE-QUOTE` */
  readonly market: string
  /** As the service says it; null = the finest that is stored and covers the start. */
  readonly interval: string | null
  /** ms UTC. */
  readonly from: number
  /** Those complete by then, ms UTC. */
  readonly to: number
}

/** Those that are there: they may end before `to`. @throws Failure candlesMissing without one at the start, candlesInvalid */
function readLifeCandles(folder: string, { market, interval, from, to }: CandleQuestion): LifeCandles {
  const stored = listCandles(folder).filter((each) => each.market === market)
  const named = interval !== null && isInterval(interval) ? interval : null
  const fitting = stored.filter((each) => named === null || each.interval === named)
  const chosen = fitting.find((each) => each.from < from + INTERVALS[each.interval] && goesOnUntil(folder, each) > from)
  if (chosen === undefined) {
    const wanted = named === null ? market : `${market} ${named}`
    const since = new Date(from).toISOString()
    throw new Failure('candlesMissing', `no stored candles of ${wanted} cover the bot’s start, ${since}`, {
      hint: `import them: \`dcalab candles import <file> --market ${market}\`, or \`dcalab candles fetch\``,
    })
  }
  const whole = loadCandles(folder, chosen).candles
  const recipe = to > chosen.to && chosen.synthetic ? findRecipe(folder, market, chosen.interval) : undefined
  const longer = recipe === undefined ? undefined : continueCandles(recipe, { candles: whole, hash: chosen.hash }, to)
  const intervalMs = INTERVALS[chosen.interval]
  const candles = sliceCandles(longer ?? whole, from, to - intervalMs + 1)
  const last = candles.openTime.at(-1)
  return {
    candles,
    interval: chosen.interval,
    symbol: findSymbolRules(folder, market),
    hash: hashCandles(candles),
    to: last === undefined ? from : last + intervalMs,
  }
}

/** Synthetic ones go on for ever. */
function goesOnUntil(folder: string, stored: ReturnType<typeof listCandles>[number]): number {
  const { market, interval, synthetic, to } = stored
  return synthetic && findRecipe(folder, market, interval) !== undefined ? Number.POSITIVE_INFINITY : to
}

interface DriftQuestion {
  readonly identity: string
  /** Whose calibration and results show what the service computes with: that of the key that runs studies. */
  readonly jobsIdentity: string
  readonly candlesFolder: string
  /** ms UTC: where the service does not say how far a bot has come. */
  readonly now: number
  readonly given: GivenTerms
}

export interface FoundDrift extends DriftCheck {
  readonly verdict: DriftVerdict
  /** What of the service's own books disagrees, or was set right before the comparison. */
  readonly books: readonly BookFinding[]
  readonly alternatives: LifeComparison['alternatives']
  /** What its fills cost. */
  readonly shown: ShownCosts
}

interface Unknown {
  readonly what: string
  readonly reason: string
}

/**
 * Compares from the bot's first start to the end of what the bot has seen, or of the local candles if they end before.
 * @throws Failure notFound for a bot that was never started, serviceUnreadable where its market or its configuration is not stated,
 *   candlesMissing, candlesInvalid
 */
export function checkDrift(store: Store, reading: LifeReading, question: DriftQuestion): FoundDrift {
  const { executions } = reading
  if (!('value' in executions)) return checkJoined(store, reading, question, { executions: [], found: [] })
  const value = joinParts(executions.value)
  const text = `its ${executions.value.length} fills are parts of ${value.length} orders; those of one order are compared as one`
  const found: readonly BookFinding[] = value.length < executions.value.length ? [{ code: 'parts', text }] : []
  return checkJoined(store, { ...reading, executions: { value } }, question, { executions: executions.value, found })
}

interface Books {
  /** As they came. */
  readonly executions: readonly ExecutionReading[]
  readonly found: readonly BookFinding[]
  /** The times were checked, and set right where they had to be. */
  readonly isTimed?: true
}

function checkJoined(store: Store, reading: LifeReading, question: DriftQuestion, books: Books): FoundDrift {
  const { identity, jobsIdentity, candlesFolder, now, given } = question
  const { bot } = reading
  const unknown: Unknown[] = []
  const pnl = keep(reading.pnl, 'profit', unknown)
  const trial = findTrial(store, identity, bot.id)
  const { market, config } = demandConfig(bot, trial)
  const terms = chooseTerms(store, { identity: jobsIdentity, pnl, trial }, given)
  const from = startOf(reading, pnl)
  const reported = pnl?.seen?.to ?? bot.tradedUntil
  const heardAt = pnl?.marketTime ?? now
  const local = readLifeCandles(candlesFolder, {
    ...{ market, from },
    interval: pnl?.seen?.interval ?? trial?.candles?.interval ?? null,
    to: reported ?? heardAt,
  })
  // A bot that was stopped did nothing afterwards.
  const until = reported ?? Math.min(heardAt, (bot.state === 'stopped' ? bot.stoppedAt : null) ?? heardAt)
  // Where it is not said how far the bot has come, the last candle that is complete by then has to be here.
  const isWhole = reported === null ? local.to + INTERVALS[local.interval] > until : reported === local.to
  if (!isWhole) {
    unknown.push({ what: 'candles', reason: `the local ones end at ${iso(local.to)}, the bot’s at ${iso(until)}` })
  }
  noteChanges(bot, from, unknown)
  const all = reportedFills(reading, local, unknown)
  const fills = all?.filter(({ at }) => at < local.to) ?? null
  const { orders } = reading
  const placed = isWhole ? keep('value' in orders ? ordersOfService(orders.value) : orders, 'orders', unknown) : null
  const span: BotSpan = { config, from, stoppedAt: requestedStop(bot, fills) }
  const clock = books.isTimed ? null : findClock(reading, { span, local, terms, market, candlesFolder })
  if (clock !== null) {
    const found = [...books.found, clockFinding(clock.offset)]
    return checkJoined(store, clock.reading, question, { ...books, found, isTimed: true })
  }
  const promoted = Object.keys(given).length > 0 ? null : promotedOtherwise(pnl, trial)
  const about: About = {
    ...{ identity, bot, market, from, local, terms, unknown },
    trial: trial?.fingerprint ?? null,
    books: [
      ...books.found,
      ...checkBooks({
        ...{ fills: all ?? [], executions: books.executions, pnl: all === null ? null : pnl },
        orders: 'value' in orders ? orders.value : [],
        feePercent: paidPercent(pnl) ?? pnl?.terms.costs?.feePercent ?? terms.costs.feePercent,
      }),
      ...(promoted === null ? [] : [{ code: 'terms' as const, text: promoted.text }]),
    ],
  }
  if (fills === null) return byProfitAlone(about, span, isWhole ? pnl : null)
  const commands = commandsOf(span, dealsOfFills(fills))
  const replay = { candles: local.candles, symbol: local.symbol, commands }
  const life = {
    fills,
    orders: placed,
    netProfit: isWhole ? (pnl?.netProfit ?? null) : null,
    feePercent: paidPercent(pnl),
  }
  const stated = compareLife(replay, life, terms)
  // What the service states explains the bot, and is not what it was promoted on: then the promoted terms are its backtest.
  const other = promoted !== null && stated.verdict.drift === 'none' ? compareLife(replay, life, promoted.terms) : null
  const isOther = other?.alternatives.at(0)?.isExact === true
  const found = isOther && other !== null ? other : stated
  const by = isOther && promoted !== null ? promoted.terms : terms
  const { verdict } = found
  return {
    ...headOf({ ...about, terms: by }),
    deals: found.deals,
    orders: found.orders,
    profit: found.profit,
    verdict: promoted === null ? verdict : { ...verdict, sentence: `${verdict.sentence}; ${promoted.text}` },
    alternatives: found.alternatives,
    shown: shownCosts(life, replay.candles, by.costs),
    series: seriesOf(found, { candles: local.candles, terms: by, equity: isWhole ? (pnl?.dailyEquity ?? []) : [] }),
  }
}

/** A constant offset of the fills, or of all times of the service, and what it said without it. */
function findClock(
  reading: LifeReading,
  life: {
    readonly span: BotSpan
    readonly local: LifeCandles
    readonly terms: DriftTerms
    readonly market: string
    readonly candlesFolder: string
  },
): { readonly offset: number; readonly reading: LifeReading } | null {
  const { executions } = reading
  const { span, local, terms, market, candlesFolder } = life
  const { candles, symbol, interval, to } = local
  const timed = 'value' in executions ? fillsOfExecutions(executions.value, { intervalMs: 1 }) : executions
  if (!('value' in timed) || timed.value.length < 6) return null
  const replayed = replayLife({ candles, symbol, commands: commandsOf(span, []) }, terms).fills
  const own = offsetOf(timed.value, replayed, candles.intervalMs)
  if (own !== null) return own === 0 ? null : { offset: own, reading: withoutOffset(reading, own, { ofAll: false }) }
  const around = { market, interval, to: to + FARTHEST }
  const wide = [span.from - FARTHEST, span.from].flatMap((from) => {
    try {
      return [readLifeCandles(candlesFolder, { ...around, from }).candles]
    } catch {
      return [] // none are stored from there on
    }
  })
  const offset = offsetOfAll(timed.value, { candles: wide.at(0) ?? candles, symbol, span, to }, terms)
  return offset === null ? null : { offset, reading: withoutOffset(reading, offset, { ofAll: true }) }
}

function withoutOffset(reading: LifeReading, offset: number, { ofAll }: { readonly ofAll: boolean }): LifeReading {
  const at = (time: number | null) => (time === null ? null : time - offset)
  const { bot, pnl, executions, orders } = reading
  const shifted = {
    ...reading,
    executions:
      'value' in executions
        ? { value: executions.value.map((one) => ({ ...one, executedAt: at(one.executedAt) })) }
        : executions,
  }
  if (!ofAll) return shifted
  const { seen = null, marketTime = null } = 'value' in pnl ? pnl.value : {}
  const { startedAt, stoppedAt, createdAt, updatedAt, tradedUntil } = bot
  return {
    ...shifted,
    bot: {
      ...{ ...bot, startedAt: at(startedAt), stoppedAt: at(stoppedAt), createdAt: at(createdAt) },
      ...{ updatedAt: at(updatedAt), tradedUntil: at(tradedUntil) },
    },
    orders: 'value' in orders ? { value: orders.value.map((one) => ({ ...one, placedAt: at(one.placedAt) })) } : orders,
    pnl:
      'value' in pnl
        ? {
            value: {
              ...{ ...pnl.value, marketTime: at(marketTime) },
              seen: seen === null ? null : { ...seen, from: at(seen.from), to: at(seen.to) },
            },
          }
        : pnl,
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
  readonly books: readonly BookFinding[]
}

function headOf({ identity, bot, market, from, local, terms, trial, unknown, books }: About) {
  const { source, conventions, costs } = terms
  return {
    ...{ identity, trial, market, unknown, books },
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
  const input = { candles: local.candles, symbol: local.symbol, commands: commandsOf(span, []) }
  const backtest = replayLife(input, terms).netProfit
  const bot = pnl?.netProfit ?? null
  const gap = bot === null ? null : bot - backtest
  const percent = gap === null ? null : (100 * Math.abs(gap)) / span.config.investment
  const drift = percent === null ? 'unknown' : percent > DRIFT_THRESHOLDS.gapPercent ? 'large' : 'small'
  const sentence =
    percent === null
      ? 'the service reports neither trades nor profit of the bot'
      : `profit differs by ${percent.toPrecision(3)} % of the investment; the service does not report deals`
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
    shown: { feePercent: paidPercent(pnl), slippagePercent: null },
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
      `bot ${bot.id} cannot be replayed: the service does not report its ${lacking.join(', ')}`,
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
  throw new Failure('notFound', `bot ${bot.id} has not traded yet (${bot.stateText || 'state unknown'})`, {
    hint: `there is nothing to compare; \`dcalab bots start ${shellWord(bot.id)}\` starts it`,
  })
}

/** A stop that a person asked for. One that the bot made itself follows from the replay. */
function requestedStop(bot: BotReading, fills: readonly TradedFill[] | null): number | null {
  if (bot.state !== 'stopped' || bot.stoppedAt === null) return null
  const last = fills?.at(-1)
  const isOwn = bot.stopReason !== null && bot.stopReason !== 'request'
  return isOwn || (bot.stopReason === null && last?.role === 'stopLoss') ? null : bot.stoppedAt
}

function reportedFills(
  { executions }: LifeReading,
  { interval }: LifeCandles,
  unknown: Unknown[],
): readonly TradedFill[] | null {
  const reported =
    'value' in executions ? fillsOfExecutions(executions.value, { intervalMs: INTERVALS[interval] }) : executions
  return keep(reported, 'executions', unknown)
}

/** Fees of all that was bought and sold, percent. */
function paidPercent(pnl: PnlReading | null): number | null {
  const { feesPaid = null, volume = null } = pnl ?? {}
  return feesPaid === null || volume === null || volume === 0 ? null : (100 * feesPaid) / volume
}

/** What happened to a bot that its service does not report. */
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

function keep<T>(reported: OrUnstated<T>, what: string, unknown: Unknown[]): T | null {
  if ('value' in reported) return reported.value
  unknown.push({ what, reason: reported.unstated })
  return null
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
