/** What a screen search has found so far, in whole sentences for people: while it runs, and at its end. */
import { ID_DIGITS } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { shown } from '../analysis/warnings/warnings.ts'
import { type Advice, type AgreementPart, readAgreement } from '../study/proposals.ts'
import type { Objective } from '../study/study.ts'
import type { Agreement, ScreenState, ScreenTask } from './screen-state.ts'
import type { Screened } from './screened.ts'

interface Described {
  readonly state: ScreenState
  readonly screened: Screened
  readonly task: ScreenTask
  /** What the state leads to. */
  readonly advice: Advice
}

/** Before the screen. */
export function describeCalibration(tests: number): readonly string[] {
  return tests === 0 ? [] : [`${counted(tests, 'test backtest')} done: working out the service’s fees and fill rules`]
}

/** What decides comes first: whether the local engine can be trusted, why it ended, what is best; then what that rests on. */
export function describeScreen({ state, screened, task, advice }: Described): readonly string[] {
  const { agreement, samples, batches, paid } = state
  const chosen = batches.flat().length
  const { plan } = task
  if (screened.best.length === 0)
    return ['the screen found nothing within the limits; no backtest was sent', termsSentence(screened, state)]
  return [
    ...(agreement === null ? [] : [agreementSentence(agreement, task)]),
    ...endSentences(state, task, advice),
    ...winnerSentences(state, task),
    `${counted(samples.length, 'control configuration')} and ${chosen} of the best of the local screen done: ${paid.size} of ${counted(plan.configs, 'configuration')}`,
    ...(agreement === null ? [] : [correlationSentence(agreement)]),
    ...(screened.shortfall === null ? [] : [`fewer than ${plan.samples} controls: ${screened.shortfall}`]),
    termsSentence(screened, state),
  ]
}

function termsSentence({ terms, isPoorMatch }: Screened, { tests }: ScreenState): string {
  const origin = {
    found: `the fees and fill rules that ${counted(tests, 'test backtest')} showed`,
    known: 'the known fees and fill rules of the service',
    own: 'the study’s fees and fill rules; the service was not calibrated',
  }[terms]
  return `screened under ${origin}${isPoorMatch === true ? '; no rule set matches well' : ''}`
}

function correlationSentence({ n, rho, interval, reason }: Agreement): string {
  if (rho === null) return `rank correlation of screen and service (controls): n/a, ${reason}`
  const range = interval === null ? `no interval: ${reason}` : `90 % ${shown(interval.low)} to ${shown(interval.high)}`
  return `rank correlation of screen and service (controls): Spearman ${shown(rho)} (${range}, ${counted(n, 'pair')})`
}

function agreementSentence(agreement: Agreement, { objective, anyway }: ScreenTask): string {
  const { median, samples, signs, signPairs, bounds } = agreement
  const parts: Readonly<Record<AgreementPart, string | null>> = {
    median: `median ${objective.metric}: first ones chosen ${orUnknown(median)}, controls ${orUnknown(samples)}`,
    profits: signs === null ? 'no local profit is above 0.2 % of the investment, so signs are not compared' : null,
    signs: signs === null ? null : `${percent(signs)} of ${counted(signPairs, 'profit')} have the same sign`,
    bounds: bounds === null ? null : `${percent(bounds)} of the trials meet the limits in both or in neither`,
  }
  if (agreement.passed) return `service and local screen agree: ${listed(Object.values(parts))}`
  const reasons = listed(agreement.failed.map((part) => parts[part]))
  const goesOn = anyway ? 'continuing (--anyway)' : '`run --anyway` continues'
  if (readAgreement(agreement)?.isContradicted !== true) return `the local screen did not help: ${reasons}; ${goesOn}`
  const next = anyway ? goesOn : `\`dcalab service calibrate\` works out its fill rules; ${goesOn}`
  return `service and local screen disagree: ${reasons}; ${next}`
}

function winnerSentences(
  { winner, finalists, batches }: ScreenState,
  { objective, markets }: ScreenTask,
): readonly string[] {
  if (batches.length === 0) return []
  if (winner === null) return ['none of the chosen is within the limits on every market']
  const best = `best confirmed: ${winner.fingerprint.slice(0, ID_DIGITS)} with ${objective.metric} ${shown(winner.value)}${acrossMarkets(objective, markets.map(marketName))}`
  if (finalists.length === 0) return [best]
  return [`${best}; behind it ${finalists.map(({ value }) => shown(value)).join(', ')}`]
}

function acrossMarkets({ across = 'median' }: Objective, markets: readonly string[]): string {
  return markets.length === 1 ? '' : ` (${across} of ${markets.join(', ')})`
}

function endSentences({ paid }: ScreenState, { plan, markets }: ScreenTask, advice: Advice): readonly string[] {
  if (advice.kind === 'propose' || advice.stoppedBy === null) return []
  const configs = plan.configs - paid.size
  const kept = `${counted(configs * markets.length, 'backtest')} saved (${counted(configs, 'configuration')})`
  if (advice.stoppedBy === 'agreement') return [`stopped early: ${kept}`]
  return [`stopped early, the second batch found nothing better: ${kept}`]
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function orUnknown(value: number | null): string {
  return value === null ? 'unknown' : shown(value)
}

function percent(share: number): string {
  return `${shown(100 * share)} %`
}

function listed(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join('; ')
}
