/**
 * A second, independent reading of the rules, for tests only: orders are objects in a list, money is a ledger of cash and base coins
 * that every fill changes, and a path is walked from one event to the next. Slow and wordy; it shares no code with the engine.
 */
import type { Exit } from '../../src/contract/bot.ts'
import type { BacktestInput } from '../../src/engine/deal.ts'

interface Order {
  price: number
  quantity: number
  quote: number
}

interface Deal {
  openedAt: number
  anchor: number
  cashBefore: number
  fills: Order[]
  waiting: Order[]
}

interface State {
  cash: number
  deal: Deal | null
  closed: { exit: Exit; price: number; proceeds: number; deal: Deal } | null
}

export interface NaiveDeal {
  openedAt: number
  closedAt: number
  exit: Exit
  safetyOrders: number
  price: number
  profit: number
  lowestValue: number
}

export interface NaiveRun {
  deals: NaiveDeal[]
  openSafetyOrders: number | null
  openLowestValue: number
  equity: number[]
  maxDrawdownPercent: number
  maxDrawdownLowPercent: number
  maxFloatingLoss: number
  candlesInDeal: number
  candlesFullyInvested: number
  usedCapital: number[]
  feesPaid: number
  ambiguousCandles: number
  unaffordableOrders: number
  unplacedOrders: number
  outOfCash: boolean
}

const near = 1e-12
const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0)

export function runNaiveBot(input: BacktestInput): NaiveRun {
  const { candles, config, conventions, costs, symbol } = input
  const fee = costs.feePercent / 100
  const slip = costs.slippagePercent / 100
  const result: NaiveRun = {
    deals: [],
    openSafetyOrders: null,
    openLowestValue: 0,
    equity: [],
    maxDrawdownPercent: 0,
    maxDrawdownLowPercent: 0,
    maxFloatingLoss: 0,
    candlesInDeal: 0,
    candlesFullyInvested: 0,
    usedCapital: [],
    feesPaid: 0,
    ambiguousCandles: 0,
    unaffordableOrders: 0,
    unplacedOrders: 0,
    outOfCash: false,
  }
  let state: State = { cash: config.investment, deal: null, closed: null }
  let stopped = false

  const toTick = (value: number, up: boolean) => (symbol.tick ? round(value, symbol.tick, up) : value)
  const order = (price: number, size: number): Order | null => {
    if (!symbol.lot) return size < (symbol.minNotional ?? 0) ? null : { price, quantity: size / price, quote: size }
    const quantity = round(size / price, symbol.lot, conventions.lotRounding === 'up')
    const quote = quantity * price
    return quantity <= 0 || quote < (symbol.minNotional ?? 0) * (1 - near) ? null : { price, quantity, quote }
  }
  const cost = (fills: Order[]) => total(fills.map((fill) => fill.quote)) * (1 + fee)
  const held = (fills: Order[]) => total(fills.map((fill) => fill.quantity))
  const average = (fills: Order[]) => total(fills.map((fill) => fill.quote)) / held(fills)
  const stopOf = (anchor: number, fills: Order[]) => {
    if (config.stopLoss === 0) return Number.NEGATIVE_INFINITY
    return (conventions.stopLossBasis === 'average' ? average(fills) : anchor) * (1 - config.stopLoss / 100)
  }
  const targetOf = (fills: Order[]) => {
    const tp = config.takeProfit / 100
    const target =
      conventions.takeProfitBasis === 'gross'
        ? average(fills) * (1 + tp)
        : ((cost(fills) / held(fills)) * (1 + tp)) / (1 - fee)
    return toTick(target, true)
  }
  const depth = (k: number) => {
    const steps = Array.from({ length: k }, (_, i) => config.dcaPriceScalePercent * config.dcaPriceStepMultiplier ** i)
    if (conventions.spacing === 'from-base') return total(steps)
    return steps.some((step) => step >= 100)
      ? 100
      : 100 * (1 - steps.reduce((left, step) => left * (1 - step / 100), 1))
  }
  const sizeOf = (k: number) => {
    const base = config.dcaInitialOrderSize
    if (conventions.safetyOrderSizing === 'scaled-from-base') return base * config.dcaVolumeScale ** k
    const first = conventions.safetyOrderSizing === 'explicit' ? (conventions.safetyOrderSize ?? Number.NaN) : base
    return first * config.dcaVolumeScale ** (k - 1)
  }

  const open = (i: number): void => {
    const price = candles.open[i] * (1 + slip)
    const base = order(price, config.dcaInitialOrderSize)
    const cap = Math.min(config.dcaTotalBudget, state.cash) * (1 + 1e-9)
    if (base === null || cost([base]) > cap) {
      stopped = true
      result.outOfCash = true
      return
    }
    const anchor = conventions.basePrice === 'fill-with-fee' ? price * (1 + fee) : price
    const existing: Order[] = []
    let unplaced = 0
    for (let k = 1; k <= config.dcaMaxSafetyOrders && depth(k) < 100; k++) {
      const rung = toTick(anchor * (1 - depth(k) / 100), false)
      if (rung <= 0 || rung <= stopOf(anchor, [base, ...existing]) * (1 + near)) break
      const next = order(rung, sizeOf(k))
      if (next === null || unplaced > 0) unplaced++
      else existing.push(next)
    }
    const waiting = [...existing]
    while (cost([base, ...waiting]) > cap) waiting.pop()
    result.unaffordableOrders += existing.length - waiting.length
    result.unplacedOrders += unplaced
    result.feesPaid += base.quote * fee
    const deal = { openedAt: candles.openTime[i], anchor, cashBefore: state.cash, fills: [base], waiting }
    state = { cash: state.cash - cost([base]), deal, closed: null }
  }

  const sell = (from: State, deal: Deal, exit: Exit, price: number): State => {
    const proceeds = held(deal.fills) * price * (1 - fee)
    return { cash: from.cash + proceeds, deal: null, closed: { exit, price, proceeds, deal } }
  }
  /** Everything that happens while the price goes from one point to the next (from = to: standing at the open). */
  const move = (before: State, from: number, to: number): State => {
    let now = before
    for (;;) {
      const { deal } = now
      if (deal === null) return now
      const rung = deal.waiting.at(0)
      const stop = stopOf(deal.anchor, deal.fills)
      const target = targetOf(deal.fills)
      if (to <= from && rung !== undefined && to <= rung.price * (1 + near)) {
        const bought = { ...deal, fills: [...deal.fills, rung], waiting: deal.waiting.slice(1) }
        now = { cash: now.cash - rung.quote * (1 + fee), deal: bought, closed: null }
      } else if (to <= from && to <= stop * (1 + near)) {
        return sell(now, deal, 'stopLoss', Math.min(stop, from) * (1 - slip))
      } else if (to >= from && to >= target * (1 - near)) {
        return sell(now, deal, 'takeProfit', target)
      } else return now
    }
  }
  const baseCoins = (at: State) => (at.deal === null ? 0 : held(at.deal.fills))
  const worth = (at: State, price: number) => at.cash + baseCoins(at) * price * (1 - fee)
  const walk = (from: State, i: number, lowFirst: boolean) => {
    const [o, h, l, c] = [candles.open[i], candles.high[i], candles.low[i], candles.close[i]]
    const atOpen = move(from, o, o)
    if (lowFirst) {
      const low = move(atOpen, o, l)
      return { low, end: move(move(low, l, h), h, c) }
    }
    const low = move(move(atOpen, o, h), h, l)
    return { low, end: move(low, l, c) }
  }
  const story = ({ end }: { end: State }) => {
    const deal = end.deal ?? end.closed?.deal
    return JSON.stringify([deal?.fills.length, end.closed?.exit, end.closed?.price])
  }

  let lowestValue = 0
  let peak = config.investment
  for (let i = 0; i < candles.openTime.length; i++) {
    if (state.deal === null) lowestValue = 0
    if (state.deal === null && !stopped) open(i)
    const [low, close] = [candles.low[i], candles.close[i]]
    const before = state
    let kept = { low: state, end: state }
    if (before.deal !== null) {
      const lowFirst = walk(before, i, true)
      const highFirst = walk(before, i, false)
      const differ = story(lowFirst) !== story(highFirst)
      if (differ) result.ambiguousCandles++
      const gap = worth(highFirst.end, close) - worth(lowFirst.end, close)
      const highKept = {
        'low-first': false,
        'high-first': true,
        'candle-colour': close < candles.open[i],
        pessimistic: differ && gap < -1e-10,
        optimistic: differ && gap > 1e-10,
      }[conventions.intrabar]
      kept = highKept ? highFirst : lowFirst
      state = { ...kept.end, closed: null }

      const deal = kept.end.deal ?? kept.end.closed?.deal ?? before.deal
      result.candlesInDeal++
      if (deal.waiting.length === 0) result.candlesFullyInvested++
      result.usedCapital.push(cost(deal.fills))
      result.feesPaid += total(deal.fills.slice(before.deal.fills.length).map((fill) => fill.quote)) * fee
      const lowDeal = kept.low.deal
      if (lowDeal !== null) {
        const floating = held(lowDeal.fills) * low * (1 - fee) - cost(lowDeal.fills)
        lowestValue = Math.min(lowestValue, floating)
      }
      if (kept.end.closed !== null) {
        const { exit, price, proceeds } = kept.end.closed
        const profit = kept.end.cash - deal.cashBefore
        const times = { openedAt: deal.openedAt, closedAt: candles.openTime[i] }
        if (exit === 'stopLoss') lowestValue = Math.min(lowestValue, profit)
        result.deals.push({ ...times, exit, price, safetyOrders: deal.fills.length - 1, profit, lowestValue })
        result.feesPaid += (proceeds / (1 - fee)) * fee
        if (exit === 'stopLoss' && conventions.afterStopLoss === 'stop') stopped = true
      }
      result.maxFloatingLoss = Math.min(result.maxFloatingLoss, lowestValue)
    } else result.usedCapital.push(0)
    result.maxDrawdownLowPercent = Math.max(result.maxDrawdownLowPercent, 100 * (1 - worth(kept.low, low) / peak))
    const equity = worth(state, close)
    result.equity.push(equity)
    peak = Math.max(peak, equity)
    result.maxDrawdownPercent = Math.max(result.maxDrawdownPercent, 100 * (1 - equity / peak))
  }
  result.openLowestValue = lowestValue
  result.openSafetyOrders = state.deal === null ? null : state.deal.fills.length - 1
  return result
}

function round(value: number, step: number, up: boolean): number {
  const count = up ? Math.ceil((value / step) * (1 - near)) : Math.floor((value / step) * (1 + near))
  return Number((count * step).toFixed(8))
}
