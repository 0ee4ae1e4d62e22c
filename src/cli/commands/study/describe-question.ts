/** The first line of a check: what the study asks about. */
import { marketName } from '../../../contract/market.ts'
import type { StudyFor } from '../../../workbench/study/fields.ts'
import type { CandleSurvey } from '../../local-candles.ts'
import { countOf, formatSpan } from '../../output.ts'

export function describeQuestion(
  { name, markets, period, holdout, tried }: StudyFor<'check'>,
  candles: CandleSurvey | undefined,
): string {
  const intervals = new Set(
    [...(candles?.infos.values() ?? [])].flatMap((info) => (info === null ? [] : [info.interval])),
  )
  return (
    `${name}: ${markets.map(marketName).join(', ')}, ${formatSpan(period)}` +
    (intervals.size === 0 ? '' : `, ${[...intervals].join(' and ')} candles`) +
    (holdout === null ? '' : `; held out: ${formatSpan(holdout)}`) +
    (tried === undefined ? '' : `; tried before: ${countOf(tried, 'configuration')}`)
  )
}
