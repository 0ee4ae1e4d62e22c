/**
 * Which of the platform's choices explain what a service answers? Every set of conventions and costs is a suspect; the sweep engine predicts what
 * each of them says of a config; probes are chosen one after another so that their answers leave as few suspects as possible.
 *
 *     suspects × candidates ─ predict ─► choose a probe ─ the service answers ─► suspects that remain ─► choose … ─► explain
 *
 * Nothing is predicted that no decision needs: of all suspects only a sample decides about the first probe, and later ones are decided by
 * those that remain.
 */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { metricValue } from '../../../contract/metric-values.ts'
import { createRandom } from '../../../engine/random.ts'
import { type CandidateTerms, drawCandidates } from './candidates.ts'
import { chooseProbe } from './choose-probe.ts'
import { type Gauge, isMoney } from './compared-metrics.ts'
import { type Explanation, explain, findAlike } from './explain.ts'
import { createPredictions } from './predictions.ts'
import { findRemaining, type ProbeAnswer, type Remaining } from './remaining.ts'
import { listSuspects, type Suspect, sampleSuspects } from './suspects.ts'

export interface DetectiveTerms extends CandidateTerms {
  /** The study's own settings: always suspected, and preferred among those that explain the answers alike. */
  readonly own: Suspect
}

export interface Detective {
  /** Sets of conventions and costs that are looked at. */
  readonly suspects: number
  /** The config to ask the service for next; null when nothing more can be told apart, or MOST_PROBES were asked for. */
  nextProbe(answers: readonly ProbeAnswer[]): Promise<DcaSpotConfig | null>
  /** What the answers tell; null when none of them gives a metric that is compared. */
  conclude(answers: readonly ProbeAnswer[]): Promise<Explanation | null>
}

/** Jobs a calibration spends at most. */
export const MOST_PROBES = 6

/** Of all suspects, how many decide about a probe. */
const SAMPLE = 200
/** Where none matches, how many of the nearest. */
const NEAREST = 50

/** Before the first answer: no service is known to tell less than a profit to the cent, or at least the number of deals. */
const PRESUMED: readonly Gauge[] = [
  { metric: 'netProfit', resolution: 0.01 },
  { metric: 'closedDeals', resolution: 0 },
]

/** A match is confirmed by so many jobs: several hundred sets may give one profit to the cent, and many more one number of deals. */
const CONFIRMED_BY = { money: 2, counts: 4 }
/** And one of them has this share of the deals of the busiest candidate: one that ends early hardly meets the candles. */
const BUSY_SHARE = 0.5

/**
 * Work is done when it is needed, between calls of `pause`; a rejection of it ends the work. The same terms and answers give the same probes.
 */
export async function createDetective(terms: DetectiveTerms): Promise<Detective> {
  const { own, prepared, symbol, seed, pause } = terms
  const suspects = listSuspects(own)
  const candidates = await drawCandidates(terms)
  const predictions = createPredictions({ prepared, symbol, suspects, pause })
  const sampleOf = (among: readonly number[]) =>
    sampleSuspects(suspects, among, { most: SAMPLE, uniform: createRandom(seed).uniform })
  const opening = sampleOf(suspects.map((_, number) => number))
  const remainingAfter = (answers: readonly ProbeAnswer[]) =>
    findRemaining(answers, { predictions, suspects: suspects.length })
  return { suspects: suspects.length, nextProbe, conclude }

  async function nextProbe(answers: readonly ProbeAnswer[]): Promise<DcaSpotConfig | null> {
    const open = candidates.filter((candidate) => !answers.some(({ config }) => isEqual(config, candidate)))
    if (answers.length >= MOST_PROBES || open.length === 0) return null
    const remaining = await remainingAfter(answers)
    // A service that gives nothing to compare would not give more the next time.
    if (remaining.answered.length > 0 && remaining.gauges.length === 0) return null
    const telling = await chooseProbe(predictions, { candidates: open, ...decisive(remaining) })
    return telling ?? (await confirmingProbe(open, remaining))
  }

  /** The suspects that decide about the next probe, and what its answer will give. */
  function decisive(remaining: Remaining): { readonly suspects: readonly number[]; readonly gauges: readonly Gauge[] } {
    if (!remaining.isMatch) return { suspects: remaining.suspects.slice(0, NEAREST), gauges: coarserGauges(remaining) }
    if (remaining.gauges.length === 0) return { suspects: opening, gauges: PRESUMED }
    return { suspects: sampleOf(remaining.suspects), gauges: remaining.gauges }
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
    const first = gauges.at(0)
    if (first === undefined) return null
    const [suspect] = remaining.suspects
    await predictions.compute(candidates, [suspect])
    const deals = (config: DcaSpotConfig) => predictions.of(config)(suspect, 'closedDeals') ?? 0
    const most = Math.max(...candidates.map(deals))
    const isBusy = answered.some(({ config }) => deals(config) >= BUSY_SHARE * most)
    const isConfirmed = answered.length >= (isMoney(first.metric) ? CONFIRMED_BY.money : CONFIRMED_BY.counts)
    return isBusy && isConfirmed ? null : open.reduce((one, other) => (deals(other) > deals(one) ? other : one))
  }

  async function conclude(answers: readonly ProbeAnswer[]): Promise<Explanation | null> {
    const remaining = await remainingAfter(answers)
    if (remaining.gauges.length === 0) return null
    const alike = findAlike(remaining, predictions)
    const { gauges } = remaining
    const telling = await chooseProbe(predictions, { candidates, suspects: sampleOf(alike), gauges })
    return explain(alike, { own, suspects, predictions, remaining, isSettled: telling === null })
  }
}

function isEqual(one: DcaSpotConfig, other: DcaSpotConfig): boolean {
  return CONFIG_FIELDS.every((field) => one[field] === other[field])
}
