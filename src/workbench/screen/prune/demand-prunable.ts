import { Failure } from '../../../errors.ts'
import { countPoints } from '../../study/grid.ts'
import type { Objective, Study } from '../../study/study.ts'

/** Only for these is there a bound. */
const BOUNDED = ['netProfit', 'roiPercent']

function isBounded({ direction, metric }: Objective): boolean {
  return direction === 'maximize' && BOUNDED.includes(metric)
}

/** Points times candles, about a minute of a processor. Smaller grids lose fewer of their points to a bound, and are done soon. */
const WORTH_PRUNING = 1e12

/** Whether a screen of the whole grid could be named `--prune`. `candles`: of all markets. */
export function wouldPruningPay(study: Pick<Study, 'axes' | 'objective' | 'search'>, candles: number): boolean {
  const { objective, search } = study
  return isBounded(objective) && search.score !== 'plateau' && countPoints(study) * candles >= WORTH_PRUNING
}

/** @throws Failure usage naming why the top of this study cannot be bounded */
export function demandPrunable(
  { objective, search }: Pick<Study, 'objective' | 'search'>,
  { file }: { readonly file: string },
): void {
  const { direction, metric } = objective
  if (!isBounded(objective))
    throw new Failure(
      'usage',
      `${file}: --prune has a bound for maximize: ${BOUNDED.join(' or ')} alone; found ${direction}: ${metric}`,
      { hint: 'screen it without --prune' },
    )
  if (search.score === 'plateau')
    throw new Failure(
      'usage',
      `${file}: --prune leaves most points out, and a plateau is the mean of neighbours; found score: plateau`,
      {
        hint: 'screen it without --prune, or with score: point',
      },
    )
}
