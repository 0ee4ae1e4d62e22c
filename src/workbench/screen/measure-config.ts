/** Every metric of a config on every market, and what it is ranked by. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { metricValue } from '../../contract/metric-values.ts'
import { behaviourAcross, behaviourHash } from '../study/behaviour.ts'
import { reduceAcross } from '../study/objective.ts'
import type { Study } from '../study/study.ts'
import { trialsOfConfig } from '../study/trials.ts'
import { signOf } from './appraise.ts'
import type { MeasuredConfig, MeasuredTrial, ScreenedMarket } from './messages.ts'
import { nameConfigs } from './name-configs.ts'
import type { Plateau } from './plateau.ts'
import type { Simulation } from './simulate.ts'

interface Measurement {
  readonly study: Study
  readonly markets: readonly ScreenedMarket[]
  /** One for each market, under the study's own terms. */
  readonly own: readonly Simulation[]
  /** The same under worse terms; null = the score does not ask for them. */
  readonly stressed: readonly Simulation[] | null
  /** null = the score looks at each point by itself. */
  readonly plateau: Plateau | null
}

/** @returns a function that measures a config; `index` is the number of its point, null where the grid has none */
export function createMeasurement({
  study,
  markets,
  own,
  stressed,
  plateau,
}: Measurement): (config: DcaSpotConfig, index: number | null) => MeasuredConfig {
  const { period, objective } = study
  const names = { markets: markets.map(({ market }) => market), period }
  const nameOf = nameConfigs(study)

  return (config, index) => {
    const trials = trialsOfConfig(names, config).map(({ market, fingerprint }, at): MeasuredTrial => {
      const { metrics, deals, openDeal } = own[at].backtest(config)
      const behaviour = { deals, openDeal, dailyEquity: metrics.dailyEquity }
      return { market: marketName(market), fingerprint, metrics, behaviourHash: behaviourHash(behaviour) }
    })
    const values = trials.map(({ metrics }) => metricValue(metrics, objective.metric))
    return {
      fingerprint: nameOf(config),
      config,
      markets: trials,
      value: reduceAcross(values, objective),
      ...(plateau === null ? scoreOf(config, values) : plateauOf(plateau, index)),
      behaviourHash: behaviourAcross(trials.map(({ behaviourHash }) => behaviourHash)),
    }
  }

  function scoreOf(config: DcaSpotConfig, values: readonly (number | null)[]): Scored {
    const scored = stressed?.map((simulation) => simulation.metricOf(config, objective.metric)) ?? values
    return { score: reduceAcross(scored, objective), scale: largest(scored) }
  }

  /** A plateau is made of the same values whether its point is measured or not: a thousand neighbours are not run again for the top. */
  function plateauOf({ scoreAt }: Plateau, index: number | null): Scored {
    const mean = index === null ? null : scoreAt(index)
    const score = mean === null ? null : 0 + signOf(objective) * mean // 0, never −0
    return { score, scale: largest([score]) }
  }
}

type Scored = Pick<MeasuredConfig, 'score' | 'scale'>

function largest(amounts: readonly (number | null)[]): number {
  return amounts.reduce((most: number, amount) => Math.max(most, Math.abs(amount ?? 0)), 0)
}
