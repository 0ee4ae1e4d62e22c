/** A finished job in our own spelling, and what may become of it on its way. */
import fc from 'fast-check'
import { METRIC_NAMES, METRICS, sampleSizeOf } from '../../../src/contract/metrics.ts'
import { metricsWith } from '../../support/metrics.ts'
import { JOB_REQUEST } from './world.ts'

const scalars = metricsWith((name) => METRIC_NAMES.indexOf(name) + (METRICS[name].whole ? 0 : 0.5))

export const metrics = {
  ...scalars,
  openDeal: true,
  safetyOrdersFilled: { ...scalars.safetyOrdersFilled, histogram: [4, 2, 1] },
  monthlyReturns: [{ month: '2021-04', returnPercent: 1.5 }],
  dailyEquity: [{ date: '2021-04-21', equity: 1001 }],
  sampleSize: sampleSizeOf(208),
}

export const job = {
  id: 'job-1',
  name: JOB_REQUEST.name,
  state: 'completed',
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:01.000Z',
  finishedAt: '2026-01-01T00:00:02.000Z',
  request: {
    ...JOB_REQUEST,
    settings: {
      conventions: { intrabar: 'pessimistic' },
      costs: { feePercent: 0.1, slippagePercent: 0 },
      symbol: { tick: 0.01, lot: null, minNotional: 10 },
    },
  },
  result: {
    metrics,
    deals: [
      {
        openedAt: '2021-04-21T00:00:00.000Z',
        closedAt: '2021-04-21T02:00:00.000Z',
        exit: 'takeProfit',
        safetyOrders: 1,
        quantity: 0.01,
        cost: 500,
        proceeds: 510,
        profit: 10,
        price: 51_000,
        lowestValue: -35.25,
      },
    ],
    openDeal: {
      openedAt: '2021-05-18T00:00:00.000Z',
      safetyOrders: 2,
      quantity: 0.01,
      cost: 500,
      value: 490,
      profit: -10,
      lowestValue: -40.5,
    },
    candles: {
      market: 'binance/BTC-USDT',
      interval: '1m',
      from: '2021-04-21T00:00:00.000Z',
      to: '2021-05-19T00:00:00.000Z',
      count: 40_320,
      missing: 0,
      hash: 'abc',
      synthetic: false,
    },
    conventions: { intrabar: 'pessimistic' },
    costs: { feePercent: 0.1, slippagePercent: 0 },
    symbol: { tick: 0.01, lot: null, minNotional: 10 },
    engineVersion: 'reference-1',
  },
  error: null,
}

/** `job` with one value, anywhere in it, replaced or removed. */
export const mutatedJob = fc
  .tuple(
    fc.nat(),
    fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        Number.NaN,
        Number.POSITIVE_INFINITY,
        -0,
        'NaN',
        'Infinity',
        '12.5',
        '1e999',
        '',
        '0x10',
        undefined,
      ),
      fc.constantFrom({ __proto__: { id: 'evil' } }, JSON.parse('{"__proto__":{"netProfit":1},"constructor":1}')),
    ),
  )
  .map(([choice, value]) => {
    const copy: unknown = structuredClone(job)
    const places: [Record<string, unknown>, string][] = []
    const walk = (node: unknown) => {
      if (typeof node !== 'object' || node === null) return
      const fields = node as Record<string, unknown> // the clone is ours to break
      for (const key of Object.keys(fields)) {
        places.push([fields, key])
        walk(fields[key])
      }
    }
    walk(copy)
    const [node, key] = places[choice % places.length]
    if (value === undefined) delete node[key]
    else node[key] = value
    return copy
  })
