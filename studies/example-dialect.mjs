/**
 * A dialect module, complete and tested: it teaches DCA Lab a service that answers { "data": { "jobId": …, "state": "DONE" } }.
 * Use it with DCALAB_DIALECT=studies/example-dialect.mjs; src/workbench/api/DIALECT.md explains every function. Leave out what your service
 * spells as ours does. What is not understood here becomes NULL with a reason, never a guess: the helpers
 * of 'dcalab' read a whole value or say why not.
 */
import { minutes, money, percent, share, time } from 'dcalab' // where a service writes "1,234": form({ decimal: '.' }) gives the same helpers

export const dialect = {
  // Backtest jobs ---------------------------------------------------------------------------------------------------------------

  jobRequest: ({ name, exchange, baseAsset, quoteAsset, from, to, interval, strategyType, ...fields }) => ({
    label: name,
    venue: exchange,
    pair: `${baseAsset}/${quoteAsset}`,
    range: { start: Date.parse(from) / 1000, end: Date.parse(to) / 1000 },
    ...(interval === undefined ? {} : { resolution: interval }),
    strategy: { kind: strategyType, ...fields },
  }),
  jobListQuery: ({ limit }) => (limit === undefined ? {} : { pageSize: String(limit) }),
  jobList: (body) => listOf(body),
  job: (body) => {
    const job = dataOf(body)
    return {
      id: job.jobId,
      name: job.label,
      state: job.state,
      createdAt: time(job.created),
      finishedAt: time(job.ended),
      request: job.task && {
        ...marketOf(job.task),
        from: job.task.range?.start,
        to: job.task.range?.end,
        interval: job.task.resolution,
        ...job.task.strategy,
      },
      result: job.report && { metrics: metricsOf(job.report), deals: undefined },
      error: job.complaint,
    }
  },
  // Any other word keeps being polled.
  jobState: (word) => ({ QUEUED: 'pending', DONE: 'done', BROKEN: 'failed', REMOVED: 'deleted' })[word] ?? 'unknown',
  limits: (body) => {
    const { total, left, hours } = dataOf(body).quota
    return { limit: total, remaining: left, used: total - left, windowHours: hours }
  },

  // This service answers 200 with a fault where others refuse; any other fault may have cost a backtest, so it is not explained here.
  refusal: (body) => ({ TOO_FAST: 'ApiKeyRateLimit', QUOTA_SPENT: 'ApiKeyBacktestLimit' })[body.fault],

  // Bots. Creation is documented; `isDemo` has to stand in the service's own text, no dialect can put it there. -------------------

  bot: (body) => {
    const { botId, label, phase, owner, ...bot } = dataOf(body)
    return { ...bot, ...marketOf(bot), id: botId, name: label, userEmail: owner, state: phase }
  },
  botListQuery: () => ({ pageSize: '5' }), // userEmail is documented, and sent whatever this says
  botList: (body) => listOf(body),
  botState: (word) => ({ IDLE: 'created', TRADING: 'running', HALTED: 'stopped' })[word] ?? 'unknown',
  validateRequest: (payload) => ({ candidate: payload }),
  validation: (body) => {
    const { ok, issues } = dataOf(body)
    return { valid: ok, errors: (issues ?? []).map(({ path, text }) => ({ field: path, message: text })) }
  },
  updateRequest: (payload) => ({ changes: payload }),
  executionListQuery: ({ limit, since }) => ({
    ...(limit === undefined ? {} : { pageSize: String(limit) }),
    ...(since === undefined ? {} : { newerThan: since }),
  }),
  executionList: (body) => listOf(body),
  execution: ({ tradeId, action, rate, amount, commission, ts }) => ({
    id: tradeId,
    side: action?.toLowerCase(),
    price: money(rate),
    quantity: money(amount),
    fee: money(commission),
    executedAt: time(ts),
  }),
  orderListQuery: ({ limit }) => (limit === undefined ? {} : { pageSize: String(limit) }),
  orderList: (body) => listOf(body),
  order: ({ orderId, action, rate, amount, live, ts }) => ({
    id: orderId,
    side: action?.toLowerCase(),
    state: live === true ? 'open' : 'filled',
    price: money(rate),
    quantity: money(amount),
    placedAt: time(ts),
  }),
  pnl: (body) => {
    const { booked, floating, gain, asOf } = dataOf(body)
    return {
      realizedProfit: money(booked),
      unrealizedProfit: money(floating),
      netProfit: sumOf(money(booked), money(floating)),
      roiPercent: percent(gain),
      marketTime: time(asOf),
    }
  },

  // Markets ---------------------------------------------------------------------------------------------------------------------

  symbols: (body) =>
    listOf(body).items.map(({ venue, pair, step }) => ({ ...marketOf({ venue, pair }), symbol: pair, tickSize: step })),
}

/** Everything comes in an envelope; items of a list do not. */
function dataOf(body) {
  return body.data ?? body
}

/** `after` is a cursor; the query of the next page is spelled here. */
function listOf(body) {
  const { entries, page } = dataOf(body)
  return { items: entries, next: page?.after == null ? null : `cursor=${encodeURIComponent(page.after)}` }
}

/** "BTC/USDT" on a venue. */
function marketOf({ venue, pair }) {
  const [baseAsset, quoteAsset] = pair?.split('/') ?? []
  return { exchange: venue, baseAsset, quoteAsset }
}

/** Their names on the left, ours with our units on the right. What they do not tell is absent, and said to be. */
function metricsOf({ gain, gainPercent, worstDip, trades, hitRate, sharpe, fees, exposure, held }) {
  return {
    netProfit: money(gain),
    roiPercent: percent(gainPercent),
    maxDrawdownPercent: percent(worstDip, { absolute: true }), // "-3.4 %" there, 3.4 with us
    closedDeals: trades,
    winRatePercent: percent(hitRate),
    sharpe,
    feesPaid: money(fees),
    timeInDealPercent: share(exposure), // 0.42 → 42
    dealDuration: { average: minutes(held) }, // "1h 30m" → 90
  }
}

/** The sum of amounts, or why one of them could not be read. */
function sumOf(...amounts) {
  return amounts.find((amount) => typeof amount !== 'number') ?? amounts.reduce((sum, amount) => sum + amount, 0)
}
