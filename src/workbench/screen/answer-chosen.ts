/** The worker's side of a pruned screen: points that the bound has left over. */
import type { Grid } from '../study/grid.ts'
import type { Study } from '../study/study.ts'
import { appraiseAcross, createAppraiser } from './appraise.ts'
import { createFinds } from './finds.ts'
import type { ChosenReply, ScreenRequest } from './messages.ts'
import { nameConfigs } from './name-configs.ts'
import type { Simulation } from './simulate.ts'

interface Ground {
  readonly study: Study
  readonly grid: Grid
  /** One for each market, under the study's own terms. */
  readonly own: readonly Simulation[]
  /** The same under worse terms; null = the score does not ask for them. */
  readonly stressed: readonly Simulation[] | null
}

export function answerChosen(
  { depth, indices, floor, giveUp }: ScreenRequest & { readonly kind: 'chosen' },
  { study, grid, own, stressed }: Ground,
): ChosenReply {
  const { objective } = study
  const nameOf = nameConfigs(study)
  const configs = Array.from(indices, (index) => grid.configAt(index))
  const appraise = createAppraiser(objective, depth)
  const onMarkets = own.map((simulation) => simulation.evaluate(configs, depth, appraise, giveUp))
  const underStress = stressed?.map((simulation) => simulation.evaluate(configs, depth, appraise))
  const across = appraiseAcross(verdictsOf(onMarkets), objective)
  const scored = underStress === undefined ? across : appraiseAcross(verdictsOf(underStress), objective)
  const found = createFinds(floor)
  configs.forEach((config, at) => {
    const { isInside, netProfit } = across[at]
    const isGivenUp = netProfit === Number.NEGATIVE_INFINITY
    if (isInside && !isGivenUp) found.add(indices[at], scored[at].value, () => nameOf(config))
  })
  return { kind: 'chosen', simulated: simulatedIn(onMarkets, underStress), ...found.columns() }
}

export function verdictsOf<Verdict>(
  evaluated: readonly { readonly verdicts: readonly Verdict[] }[],
): readonly (readonly Verdict[])[] {
  return evaluated.map(({ verdicts }) => verdicts)
}

/** On each market, under the study's own terms and under worse ones. */
export function simulatedIn(
  own: readonly { readonly simulated: number }[],
  stressed: readonly { readonly simulated: number }[] | undefined,
): number[] {
  return own.map(({ simulated }, market) => simulated + (stressed?.[market].simulated ?? 0))
}
