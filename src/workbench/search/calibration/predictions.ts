/** What each hypothesis predicts of a config: sweeps under its settings, simulations that are the same once. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import type { SymbolRules } from '../../../engine/conventions.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../engine/jump/sweep.ts'
import { ladderTerms } from '../../../engine/levels.ts'
import { candleFacts, sweptValue } from '../../screen/measures.ts'
import { COMPARED, type ComparedMetric } from './compared-metrics.ts'
import type { AssumedTerms } from './hypotheses.ts'

export interface Predictions {
  /** Computes what is not yet known of these configs under these hypotheses. */
  compute(configs: readonly DcaSpotConfig[], hypotheses: readonly number[]): Promise<void>
  /** What hypotheses predict of a config, as far as it was computed. */
  of(config: DcaSpotConfig): Predicted
}

/** What a hypothesis predicts; null where the metric is undefined. */
export type Predicted = (hypothesis: number, metric: ComparedMetric) => number | null

export interface PredictionTerms {
  readonly prepared: PreparedCandles
  readonly symbol: SymbolRules
  readonly hypotheses: readonly AssumedTerms[]
  /** Called after every few simulations, so that the event loop turns. Where it rejects, the work ends. */
  readonly pause: () => Promise<void>
}

/** Values of one simulation, in the order of COMPARED. */
type Values = readonly (number | null)[]

/** What is known of one config. */
interface Known {
  readonly config: DcaSpotConfig
  /** By hypothesis. */
  readonly values: (Values | undefined)[]
  readonly bySimulation: Map<string, Values>
}

/** Candles walked between two pauses: tens of milliseconds. */
const CANDLES_PER_PAUSE = 1e8

export function createPredictions({ prepared, symbol, hypotheses, pause }: PredictionTerms): Predictions {
  const known = new Map<string, Known>()
  const facts = candleFacts(prepared)
  return { compute, of }

  async function compute(configs: readonly DcaSpotConfig[], wanted: readonly number[]): Promise<void> {
    const columns = configs.map(knownOf)
    let walked = 0
    for (const hypothesis of wanted) {
      const missing = columns.filter((each) => !isKnown(each, hypothesis))
      if (missing.length === 0) continue
      simulate(missing, hypothesis)
      walked += missing.length * prepared.count
      if (walked < CANDLES_PER_PAUSE) continue
      walked = 0
      await pause()
    }
  }

  function knownOf(config: DcaSpotConfig): Known {
    const name = nameOf(config)
    const found = known.get(name) ?? { config, values: [], bySimulation: new Map() }
    known.set(name, found)
    return found
  }

  function isKnown({ config, values, bySimulation }: Known, hypothesis: number): boolean {
    values[hypothesis] ??= bySimulation.get(simulationOf(config, hypotheses[hypothesis], symbol))
    return values[hypothesis] !== undefined
  }

  function simulate(missing: readonly Known[], hypothesis: number): void {
    const rows = new Float64Array(missing.length * CONFIG_ROW)
    missing.forEach(({ config }, row) => {
      writeConfigRow(rows, row, config)
    })
    const columns = createSweep(prepared, { ...hypotheses[hypothesis], symbol, want: 'full' }).run(rows)
    missing.forEach(({ config, values, bySimulation }, row) => {
      const swept = { columns, row, investment: config.investment, candles: facts }
      const simulated = COMPARED.map((metric) => sweptValue(metric, swept))
      values[hypothesis] = simulated
      bySimulation.set(simulationOf(config, hypotheses[hypothesis], symbol), simulated)
    })
  }

  function of(config: DcaSpotConfig): Predicted {
    const { values } = knownOf(config)
    return (hypothesis, metric) => {
      const simulated = values[hypothesis]
      if (simulated === undefined) throw new Error('this prediction was not computed')
      return simulated[COMPARED.indexOf(metric)]
    }
  }
}

/** Equal for equal configs, also those that were read back from somewhere. */
function nameOf(config: DcaSpotConfig): string {
  return CONFIG_FIELDS.map((field) => config[field]).join()
}

/** Equal for hypotheses under which a config does the same: what cannot matter to it is left out. */
function simulationOf(config: DcaSpotConfig, { conventions, costs }: AssumedTerms, { lot }: SymbolRules): string {
  const terms = ladderTerms(config, conventions, costs)
  const hasStop = config.stopLoss > 0
  return [
    terms.firstSize,
    terms.spacing,
    terms.anchorRatio,
    terms.takeProfitRatio,
    costs.feePercent,
    costs.slippagePercent,
    conventions.intrabar,
    lot === null ? '' : conventions.lotRounding,
    hasStop ? conventions.stopLossBasis : '',
    hasStop ? conventions.afterStopLoss : '',
  ].join()
}
