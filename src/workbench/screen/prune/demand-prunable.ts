import { Failure } from '../../../errors.ts'
import type { Study } from '../../study/study.ts'

/** Only for these is there a bound. */
const BOUNDED = ['netProfit', 'roiPercent']

/** @throws Failure usage naming why the top of this study cannot be bounded */
export function demandPrunable(
  { objective, search }: Pick<Study, 'objective' | 'search'>,
  { file }: { readonly file: string },
): void {
  const { direction, metric } = objective
  if (direction !== 'maximize' || !BOUNDED.includes(metric))
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
