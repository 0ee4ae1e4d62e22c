/**
 * Walk-forward by the page of the method alone, day by day and configuration by configuration, with the reference engine. It shares no line
 * with the program but its types and that engine, and is as slow as it is plain.
 */
import { createHash } from 'node:crypto'
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import type { Metrics } from '../../../src/contract/metrics.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import type { Conventions, Costs, SymbolRules } from '../../../src/engine/conventions.ts'
import { runReference } from '../../../src/engine/reference.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { plainReduce } from '../screen/brute-force.ts'

export interface PlainMarket {
  readonly candles: Candles
  readonly symbol: SymbolRules
}

interface Terms {
  readonly conventions: Conventions
  readonly costs: Costs
}

interface Ran {
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  readonly metrics: readonly Metrics[]
  readonly value: number | null
}

type Span = readonly [from: number, to: number]

const DAY = 86_400_000

export function plainWalkForward(
  study: Study,
  markets: readonly PlainMarket[],
  configs: readonly DcaSpotConfig[],
  terms: Terms = study,
) {
  const { objective } = study
  const run = (span: Span, under: Terms) => runAll(study, markets, configs, span, under)
  const isBetter = (one: number, other: number) => (objective.direction === 'maximize' ? one > other : one < other)
  const folds = plainFolds(study).map(({ train, test }) => {
    const onTrain = run(train, terms)
    const inside = onTrain.filter(
      ({ value: of, metrics }) =>
        of !== null &&
        metrics.every((of) =>
          objective.where.every(({ metric, bounds }) => {
            const value = readMetric(of, metric)
            return value !== null && !(value < (bounds.min ?? value)) && !(value > (bounds.max ?? value))
          }),
        ),
    )
    let chosen: { readonly ran: Ran; readonly score: number } | undefined
    for (const ran of inside.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))) {
      const score = ran.value ?? Number.NaN
      const isTie = chosen !== undefined && Math.abs(score - chosen.score) <= 1e-9 * Math.max(1, Math.abs(score))
      if (chosen === undefined || (isBetter(score, chosen.score) && !isTie)) chosen = { ran, score }
    }
    if (chosen === undefined) return { train, test, chosen: null }
    const { fingerprint, value } = chosen.ran
    const onTest = run(test, terms)
    const after = onTest.find((one) => one.fingerprint === fingerprint)
    if (after === undefined) throw new Error('every configuration is run on test')
    return {
      train,
      test,
      chosen: {
        fingerprint,
        trainValue: value,
        testValue: after.value,
        testNetProfit: plainReduce(
          after.metrics.map(({ netProfit }) => netProfit),
          { ...objective, direction: 'maximize' },
        ),
        percentile: plainPercentile(onTest, after.value, isBetter),
        markets: after.metrics.map(({ netProfit }) => netProfit),
      },
    }
  })
  return folds
}

/** Every day is tried as the first of a fold. */
function plainFolds({ period, walkForward }: Study): readonly { readonly train: Span; readonly test: Span }[] {
  if (walkForward === null) throw new Error('the study asks for no folds')
  const { trainMs, testMs, embargoMs, anchored } = walkForward
  const folds: { train: Span; test: Span }[] = []
  let first: number | undefined
  for (let day = 0; day * DAY < period.to; day++) {
    const start = day * DAY
    if (start < period.from) continue
    first ??= start
    const test = start + trainMs + embargoMs
    if ((start - first) % testMs !== 0 || test + testMs > period.to) continue
    folds.push({ train: [anchored ? first : start, start + trainMs], test: [test, test + testMs] })
  }
  return folds
}

function runAll(
  { objective }: Study,
  markets: readonly PlainMarket[],
  configs: readonly DcaSpotConfig[],
  [from, to]: Span,
  { conventions, costs }: Terms,
): readonly Ran[] {
  const known = new Map<string, Ran>()
  const spans = markets.map(({ candles, symbol }) => ({ candles: between(candles, from, to), symbol }))
  for (const config of configs) {
    const fingerprint = plainName(config)
    if (known.has(fingerprint)) continue
    const metrics = spans.map(
      ({ candles, symbol }) => runReference({ candles, config, conventions, costs, symbol }).metrics,
    )
    const values = metrics.map((of) => readMetric(of, objective.metric))
    known.set(fingerprint, { fingerprint, config, metrics, value: plainReduce(values, objective) })
  }
  return [...known.values()]
}

function between(candles: Candles, from: number, to: number): Candles {
  const rows: number[] = []
  candles.openTime.forEach((time, row) => {
    if (time >= from && time < to) rows.push(row)
  })
  const pick = (column: Float64Array) => Float64Array.from(rows, (row) => column[row])
  const { intervalMs, openTime, open, high, low, close, volume } = candles
  return {
    intervalMs,
    openTime: pick(openTime),
    open: pick(open),
    high: pick(high),
    low: pick(low),
    close: pick(close),
    volume: pick(volume),
  }
}

function plainPercentile(
  all: readonly Ran[],
  value: number | null,
  isBetter: (one: number, other: number) => boolean,
): number | null {
  if (value === null) return null
  let points = 0
  let count = 0
  for (const { value: other } of all) {
    if (other === null) continue
    count++
    const isTie = Math.abs(other - value) <= 1e-9 * Math.max(1, Math.abs(value))
    points += isTie ? 0.5 : isBetter(value, other) ? 1 : 0
  }
  return (100 * points) / count
}

function readMetric(metrics: Metrics, path: string): number | null {
  let value: unknown = metrics
  for (const part of path.split('.')) value = (value as Readonly<Record<string, unknown>>)[part] // a metric inside a group
  return typeof value === 'number' ? value : null
}

/** SHA-256 of the fields that have an effect, sorted, numbers in decimals. */
function plainName(config: DcaSpotConfig): string {
  const { dcaMaxSafetyOrders: orders } = config
  const idle = [
    ...(orders <= 1 ? ['dcaPriceStepMultiplier'] : []),
    ...(orders === 0 ? ['dcaPriceScalePercent', 'dcaVolumeScale'] : []),
  ]
  const fields = Object.entries(config).filter(([field]) => !idle.includes(field))
  const text = fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, value]) => `"${field}":"${value}"`)
    .join(',')
  return createHash('sha256').update(`{"config":{${text}}}`).digest('hex')
}
