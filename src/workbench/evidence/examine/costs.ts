/** Stored results computed again on local candles under a small grid of fees and slippages: all of a market in one sweep for each cost. Nothing is sent. */
import { findCandles, type LoadedCandles } from '../../../candles/folder/folder.ts'
import { marketName } from '../../../contract/market.ts'
import { prepareCandles } from '../../../engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../engine/jump/sweep.ts'
import { Failure } from '../../../errors.ts'
import { type CostCell, keepCosts } from '../../store/observe-job.ts'
import type { TrialRecord } from '../../store/records.ts'
import { type Store, write } from '../../store/store.ts'
import type { Study } from '../../study/study.ts'
import type { Terms } from '../replay/read-terms.ts'
import type { LongWork } from './field.ts'
import { type EvaluationRequest, findTerms, intervalOf } from './make-evaluation.ts'

/** Percent of every fill: none, with discounts, the usual fee of spot exchanges, and dearer ones. */
const FEES = [0, 0.05, 0.1, 0.2, 0.4]
/** Percent of market orders. */
const SLIPPAGES = [0, 0.05, 0.1]

const COSTS = FEES.flatMap((feePercent) => SLIPPAGES.map((slippagePercent) => ({ feePercent, slippagePercent })))

interface CostsRequest extends Pick<EvaluationRequest, 'candlesFolder'> {
  /** Those without a result are left out. */
  readonly trials: readonly TrialRecord[]
  readonly study: Study | null
  /** By which terms a service computes, as far as it is known. */
  readonly knownOf: (identity: string) => EvaluationRequest['known']
  readonly pace: LongWork
}

interface CostsOfResult {
  readonly trial: TrialRecord
  /** In the order of fees, then of slippages. */
  readonly cells: readonly CostCell[]
}

export interface CostsFound {
  readonly results: readonly CostsOfResult[]
  /** Results whose candles are not those stored here; nothing is computed for them. */
  readonly onOtherCandles: number
  /** Why nothing is computed for some markets: their candles are not here. */
  readonly leftOut: ReadonlyMap<string, Failure>
}

/**
 * The costs of each result are kept in the store. What a result states about conventions and symbol rules holds here too; its own fee and slippage do not matter.
 * @throws Failure candlesMissing where no market has candles here, candlesInvalid; usage where nothing says how to compute a result; the signal's reason
 */
export async function computeCosts(store: Store, request: CostsRequest): Promise<CostsFound> {
  const done = request.trials.filter(({ state, metrics }) => state === 'done' && metrics !== null)
  const results: CostsOfResult[] = []
  const leftOut = new Map<string, Failure>()
  let onOtherCandles = 0
  for (const all of Map.groupBy(done, (trial) => sweepKeyOf(trial, request)).values()) {
    const { market, period } = all[0]
    const asked = { market: marketName(market), ...period, interval: intervalOf(all[0], request.study) }
    const loaded = findCandles(request.candlesFolder, asked)
    if (loaded instanceof Failure) {
      leftOut.set(asked.market, loaded)
      continue
    }
    const same = all.filter(({ candles }) => (candles?.hash ?? loaded.info.hash) === loaded.info.hash)
    onOtherCandles += all.length - same.length
    const found = await sweepCosts(same, loaded, request)
    await write(store, () => keepCosts(store.db, found.map(keptOf)))
    results.push(...found)
  }
  const [why] = leftOut.values()
  if (why !== undefined && results.length + onOtherCandles === 0) throw why
  return { results, onOtherCandles, leftOut }
}

/** Results with the same key are computed in one sweep. */
function sweepKeyOf(trial: TrialRecord, request: CostsRequest): string {
  const { conventions, symbol } = termsOf(trial, request)
  return JSON.stringify([marketName(trial.market), trial.period, intervalOf(trial, request.study), conventions, symbol])
}

function termsOf(trial: TrialRecord, { study, knownOf, candlesFolder }: CostsRequest): Terms {
  return findTerms(trial, { study, known: knownOf(trial.identity), candlesFolder }).terms
}

async function sweepCosts(
  trials: readonly TrialRecord[],
  { candles }: LoadedCandles,
  request: CostsRequest,
): Promise<readonly CostsOfResult[]> {
  if (trials.length === 0) return []
  const { clock, signal, onProgress } = request.pace
  const { conventions, symbol } = termsOf(trials[0], request)
  const prepared = prepareCandles(candles)
  const rows = new Float64Array(trials.length * CONFIG_ROW)
  for (const [row, { config }] of trials.entries()) writeConfigRow(rows, row, config)
  const cells: CostCell[][] = trials.map(() => [])
  for (const [at, costs] of COSTS.entries()) {
    onProgress(`${marketName(trials[0].market)}: ${at} of ${COSTS.length} costs`)
    const options = { conventions, costs, symbol, want: 'full' } as const
    const { netProfit, closedDeals, used: held, risk } = createSweep(prepared, options).run(rows)
    if (held === null || risk === null) throw new Error('a full sweep has no drawdowns')
    for (const [row, list] of cells.entries()) {
      const used = held.average[row]
      list.push({
        ...costs,
        netProfit: netProfit[row],
        netProfitPerUsedPercent: used > 0 ? (100 * netProfit[row]) / used : null,
        maxDrawdownPercent: risk.maxDrawdownPercent[row],
        closedDeals: closedDeals[row],
      })
    }
    await clock.sleep(0, signal) // lets an interrupt take effect
  }
  return trials.map((trial, row) => ({ trial, cells: cells[row] }))
}

function keptOf({ trial: { identity, jobId }, cells }: CostsOfResult) {
  if (jobId === null) throw new Error('a result without a job')
  return { identity, jobId, cells }
}
