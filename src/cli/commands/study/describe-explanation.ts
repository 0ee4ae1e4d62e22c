/** What a calibration found, in words for people and as `--json`. */
import { METRICS } from '../../../contract/metrics.ts'
import { type ComparedMetric, isMoney } from '../../../workbench/search/detective/compared-metrics.ts'
import type { Explanation } from '../../../workbench/search/detective/explain.ts'
import { countOf, type FittingTable, formatNumber, type Line } from '../../output.ts'
import { fittingTable } from '../../table.ts'

export function shownExplanation(explanation: Explanation) {
  const { best, ties, jobs, traits, setAside, residual, suspects, remaining, isSettled, isPoor } = explanation
  return {
    jobs: jobs.length,
    best: { conventions: best.conventions, costs: best.costs },
    ties: ties.map(({ trait, values }) => [trait, ...values]),
    evidence: jobs,
    told: traits,
    setAside,
    residual,
    candidates: suspects,
    remaining,
    settled: isSettled,
    poor: isPoor,
  }
}

export function describeExplanation(explanation: Explanation): Line[] {
  return [...verdict(explanation), '', traitTable(explanation), '', jobTable(explanation), '', ...remarks(explanation)]
}

function verdict({ isPoor, jobs, suspects, remaining }: Explanation): string[] {
  const sets = suspects.toLocaleString('en')
  const told = `${countOf(jobs.length, 'job')} told ${sets} sets of conventions and costs apart`
  if (!isPoor) return [`${told}: ${remaining === 1 ? 'one explains' : `${remaining} explain`} every value`]
  return [
    `${told}: none explains every value; the nearest is shown, and may be wrong`,
    'the service may use other candles, another fee or other symbol rules than were looked at: name its fee under costs, and the size of its first safety order under conventions',
  ]
}

function traitTable({ traits, ties }: Explanation): FittingTable {
  const othersOf = (trait: string) => ties.find((tie) => tie.trait === trait)?.values.slice(1) ?? []
  return fittingTable(traits, [
    { title: 'convention', value: ({ trait }) => trait },
    { title: 'value', value: ({ value }) => String(value) },
    { title: 'or', value: ({ trait }) => othersOf(trait).join(', ') || null },
    { title: 'told by job', value: ({ told }) => told?.trial.slice(0, 12) ?? null },
    { title: 'metric', value: ({ told }) => (told === null ? null : METRICS[told.metric].title) },
    { title: 'service', value: ({ told }) => shown(told?.service ?? null) },
    { title: 'with another value', value: ({ told }) => shown(told?.otherwise ?? null) },
  ])
}

function jobTable({ jobs }: Explanation): FittingTable {
  const given = Object.keys(jobs[0]?.service ?? {}).filter(isCompared(jobs))
  const profit = given.find(isMoney)
  const metrics = [profit, given.find((metric) => metric === 'closedDeals')].filter((metric) => metric !== undefined)
  const compared = metrics.length > 0 ? metrics : given.slice(0, 1)
  return fittingTable(jobs, [
    { title: 'job', value: ({ trial }) => trial.slice(0, 12) },
    ...compared.flatMap((metric) => [
      { title: `${METRICS[metric].title}: service`, value: (job: Job) => shown(job.service[metric] ?? null) },
      { title: 'predicted', value: (job: Job) => shown(job.predicted[metric] ?? null) },
    ]),
  ])
}

type Job = Explanation['jobs'][number]

function isCompared(jobs: readonly Job[]): (name: string) => name is ComparedMetric {
  return (name): name is ComparedMetric => jobs.some(({ service }) => Object.hasOwn(service, name))
}

/** Eight digits tell results of services apart that compute alike and round differently. */
function shown(value: number | null): string | null {
  return value === null ? null : String(Number(value.toPrecision(8)))
}

function remarks({ residual, ties, isSettled, setAside }: Explanation): string[] {
  const means = setAside.map((metric) => METRICS[metric].title).join(', ')
  return [
    residual === null
      ? 'the service tells no profit: only counts were compared'
      : `largest difference in profit: ${formatNumber(residual, residual < 1e-4 ? 9 : 4)} % of the investment`,
    ...(ties.length === 0
      ? []
      : [
          isSettled
            ? 'where two values stand, no probe that was thought of tells them apart on these candles'
            : 'where two values stand, more probes could tell them apart',
        ]),
    ...(setAside.length === 0
      ? []
      : [`not compared: ${means}; what predicts the profits does not predict it, so the service means something else`]),
  ]
}
