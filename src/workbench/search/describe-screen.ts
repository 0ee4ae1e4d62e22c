/** What a screen search has found so far, in whole sentences for people: while it runs, and at its end. */
import { marketName } from '../../contract/market.ts'
import { shown } from '../analysis/doubts/row.ts'
import type { Advice } from '../study/proposals.ts'
import type { Objective } from '../study/study.ts'
import type { Agreement } from './agreement.ts'
import type { ScreenState, ScreenTask } from './screen-state.ts'
import type { Screened } from './screened.ts'

interface Described {
  readonly state: ScreenState
  readonly screened: Screened
  readonly task: ScreenTask
  /** What the state leads to. */
  readonly advice: Advice
}

/** Before the screen. */
export function describeCalibration(probes: number): readonly string[] {
  return probes === 0 ? [] : [`${counted(probes, 'probe')} answered: looking for the conventions of the service`]
}

/** What decides comes first: whether the twin can be trusted, why it ended, what is best; then what that rests on. */
export function describeScreen({ state, screened, task, advice }: Described): readonly string[] {
  const { agreement, samples, batches, paid } = state
  const chosen = batches.flat().length
  const { plan } = task
  if (screened.best.length === 0)
    return ['the twin found no configuration inside the bounds: nothing was paid for', termsSentence(screened, state)]
  return [
    ...(agreement === null ? [] : [agreementSentence(agreement, task)]),
    ...endSentences(state, task, advice),
    ...winnerSentences(state, task),
    `${counted(samples.length, 'sample')} and ${chosen} of the twin’s best were tried: ${paid.size} of ${counted(plan.configs, 'configuration')} paid`,
    ...(agreement === null ? [] : [correlationSentence(agreement)]),
    ...(screened.shortfall === null ? [] : [`there are fewer samples than ${plan.samples}: ${screened.shortfall}`]),
    termsSentence(screened, state),
  ]
}

function termsSentence({ terms, isPoorMatch }: Screened, { probes }: ScreenState): string {
  const origin = {
    found: `the conventions and costs that ${counted(probes, 'probe')} found`,
    known: 'the conventions and costs that are known of the service',
    own: 'the study’s own conventions and costs, which the service was not asked about',
  }[terms]
  return `the twin computed under ${origin}${isPoorMatch === true ? '; none that it knows matches them well' : ''}`
}

function correlationSentence({ n, rho, interval, reason }: Agreement): string {
  if (rho === null) return `rank correlation of twin and service over the samples: none, ${reason}`
  const range = interval === null ? `no interval: ${reason}` : `90 % ${shown(interval.low)} to ${shown(interval.high)}`
  return `rank correlation of twin and service over the samples: Spearman ${shown(rho)} (${range}, ${counted(n, 'pair')})`
}

function agreementSentence(agreement: Agreement, { objective, anyway }: ScreenTask): string {
  const { median, samples, signs, signPairs, bounds } = agreement
  const parts = {
    median: `the median ${objective.metric} of the first chosen is ${orUnknown(median)}, of the samples ${orUnknown(samples)}`,
    signs:
      signs === null
        ? 'no profit of the twin is more than 0.2 % of the investment, so that no sign can be compared'
        : `${percent(signs)} of ${counted(signPairs, 'profit')} have the same sign`,
    bounds: bounds === null ? null : `${percent(bounds)} of the trials meet the bounds in both or in neither`,
  }
  if (agreement.passed) return `the service agrees with the twin: ${listed(Object.values(parts))}`
  const reasons = listed(agreement.failed.map((part) => parts[part]))
  const next = anyway
    ? 'it goes on anyway'
    : '`dcalab service calibrate` looks for its conventions, and `run --anyway` goes on'
  return `the service does not agree with the twin: ${reasons}; ${next}`
}

function winnerSentences(
  { winner, finalists, batches }: ScreenState,
  { objective, markets }: ScreenTask,
): readonly string[] {
  if (batches.length === 0) return []
  if (winner === null) return ['none of the chosen is inside the bounds with a value on every market']
  const best = `best confirmed: ${winner.fingerprint.slice(0, 8)} with ${objective.metric} ${shown(winner.value)}${acrossMarkets(objective, markets.map(marketName))}`
  if (finalists.length === 0) return [best]
  return [`${best}; behind it ${finalists.map(({ value }) => shown(value)).join(', ')}`]
}

function acrossMarkets({ across = 'median' }: Objective, markets: readonly string[]): string {
  return markets.length === 1 ? '' : ` (${across} of ${markets.join(', ')})`
}

function endSentences({ paid }: ScreenState, { plan, markets }: ScreenTask, advice: Advice): readonly string[] {
  if (advice.kind === 'propose' || advice.stoppedBy === null) return []
  const configs = plan.configs - paid.size
  const kept = `${counted(configs * markets.length, 'unit')} kept (${counted(configs, 'configuration')})`
  if (advice.stoppedBy === 'agreement') return [`stopped before the rest of the best: ${kept}`]
  return [`the best of two batches is in the first, so that the rest is not sent: ${kept}`]
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
