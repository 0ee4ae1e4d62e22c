/**
 * Which of the platform's choices explain what a service answers? Two jobs show what fee and slippage each set of conventions needs to explain
 * them. Every set under such costs is a suspect; the sweep engine predicts what each of them says of a config; probes are chosen one after
 * another so that their answers leave as few suspects as possible.
 *
 *     two cost probes ─► suspects × candidates ─ predict ─► choose a probe ─ the service answers ─► suspects that remain ─► choose … ─► explain
 *
 * Nothing is predicted that no decision needs: probes are decided by a sample of those that remain.
 */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { metricValue } from '../../../contract/metric-values.ts'
import { createRandom } from '../../../engine/random.ts'
import { type CandidateTerms, drawCandidates, pointsOf } from './candidates.ts'
import { chooseProbe } from './choose-probe.ts'
import { type Gauge, gaugesOf, isMoney } from './compared-metrics.ts'
import { type Explanation, explain, findAlike } from './explain.ts'
import { chooseCostProbes } from './fit-costs.ts'
import { createLineUp, isEqual } from './line-up.ts'
import { createPredictions } from './predictions.ts'
import { findRemaining, type ProbeAnswer, type Remaining } from './remaining.ts'
import { type AssumedTerms, listSets, listSuspects, sampleSuspects } from './suspects.ts'

export interface DetectiveTerms extends CandidateTerms {
  /** The study's own settings: always suspected, and preferred among those that explain the answers alike. */
  readonly own: AssumedTerms
}

export interface Detective {
  /** The config to ask the service for next; null when nothing more can be told apart, or MOST_PROBES were asked for. */
  nextProbe(answers: readonly ProbeAnswer[]): Promise<DcaSpotConfig | null>
  /** What the answers tell; null when none of them states a profit. */
  conclude(answers: readonly ProbeAnswer[]): Promise<Explanation | null>
}

/** Jobs a calibration spends at most. */
export const MOST_PROBES = 6

/** Of all suspects, how many decide about a probe. */
const SAMPLE = 100
/** Where none matches, how many of the nearest. */
const NEAREST = 50

/** Where the cost probes failed. */
const PRESUMED: readonly Gauge[] = [{ metric: 'netProfit', resolution: 0.01 }]

/** A match is confirmed by so many jobs: two are explained by fitted costs, and several hundred sets may give one more profit to the cent. */
const CONFIRMED_BY = 4
/** And one of them has this share of the deals of the busiest candidate: one that ends early hardly meets the candles. */
const BUSY_SHARE = 0.5

/**
 * Work is done when it is needed, between calls of `pause`; a rejection of it ends the work. The same terms and answers give the same probes.
 */
export async function createDetective(terms: DetectiveTerms): Promise<Detective> {
  const { own, prepared, symbol, seed, pause } = terms
  const candidates = await drawCandidates(terms)
  const sets = listSets(own)
  const costProbes = chooseCostProbes(pointsOf(terms.space, seed)[0], terms)
  const lineUp = createLineUp({ sets, usual: listSuspects(own), costProbes, prepared, symbol, pause })
  const predictions = createPredictions({ prepared, symbol, suspects: lineUp.all, pause })
  const sampleOf = (among: readonly number[]) =>
    sampleSuspects(lineUp.all, among, { most: SAMPLE, uniform: createRandom(seed).uniform })
  return { nextProbe, conclude }

  async function remainingAfter(answers: readonly ProbeAnswer[]): Promise<Remaining> {
    return findRemaining(answers, { predictions, suspects: await lineUp.after(answers) })
  }

  async function nextProbe(answers: readonly ProbeAnswer[]): Promise<DcaSpotConfig | null> {
    const isOpen = (config: DcaSpotConfig) => !answers.some((answer) => isEqual(answer.config, config))
    const open = candidates.filter(isOpen)
    if (answers.length >= MOST_PROBES || open.length === 0) return null
    // A service that states no profit would not state one the next time.
    if (answers.some(({ metrics }) => metrics !== null) && !answers.some(statesProfit)) return null
    const costProbe = costProbes.find(isOpen)
    if (costProbe !== undefined) return costProbe
    const remaining = await remainingAfter(answers)
    const telling = await chooseProbe(predictions, { candidates: open, ...decisive(remaining) })
    return telling ?? (await confirmingProbe(open, remaining))
  }

  /** The suspects that decide about the next probe, and what its answer will give. */
  function decisive(remaining: Remaining): { readonly suspects: readonly number[]; readonly gauges: readonly Gauge[] } {
    if (!remaining.isMatch) return { suspects: remaining.suspects.slice(0, NEAREST), gauges: coarserGauges(remaining) }
    const gauges = remaining.gauges.length === 0 ? PRESUMED : remaining.gauges
    return { suspects: sampleOf(remaining.suspects), gauges }
  }

  /** Where none matches, differences smaller than those that the nearest leaves tell nothing. */
  function coarserGauges({ gauges, suspects: [nearest], answered }: Remaining): readonly Gauge[] {
    return gauges.slice(0, 1).map(({ metric }) => {
      const left = answered.map(({ metrics, config }) => {
        const [service, predicted] = [metricValue(metrics, metric), predictions.of(config)(nearest, metric)]
        return service === null || predicted === null ? 0 : Math.abs(service - predicted)
      })
      return { metric, resolution: Math.max(...left) }
    })
  }

  /** The busiest open candidate, while too few or too idle jobs have shown whether what matches does so by chance. */
  async function confirmingProbe(open: readonly DcaSpotConfig[], remaining: Remaining): Promise<DcaSpotConfig | null> {
    const { answered, gauges } = remaining
    if (gauges.length === 0) return null
    const [suspect] = remaining.suspects
    await predictions.compute(candidates, [suspect])
    const deals = (config: DcaSpotConfig) => predictions.of(config)(suspect, 'closedDeals') ?? 0
    const most = Math.max(...candidates.map(deals))
    const isBusy = answered.some(({ config }) => deals(config) >= BUSY_SHARE * most)
    return isBusy && answered.length >= CONFIRMED_BY
      ? null
      : open.reduce((one, other) => (deals(other) > deals(one) ? other : one))
  }

  async function conclude(answers: readonly ProbeAnswer[]): Promise<Explanation | null> {
    const remaining = await remainingAfter(answers)
    if (remaining.gauges.length === 0) return null
    const alike = findAlike(remaining, predictions)
    const { gauges } = remaining
    const telling = await chooseProbe(predictions, { candidates, suspects: sampleOf(alike), gauges })
    const findings = {
      own,
      suspects: lineUp.all,
      sets: sets.length,
      predictions,
      remaining,
      isSettled: telling === null,
      isConfirmed: remaining.answered.length >= CONFIRMED_BY,
      numberOf: lineUp.numberOf,
    }
    return explain(alike, findings)
  }
}

function statesProfit({ metrics }: ProbeAnswer): boolean {
  return metrics !== null && gaugesOf([metrics]).some(({ metric }) => isMoney(metric))
}
