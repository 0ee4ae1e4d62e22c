/** What `doctor` says of fields that were not read, and what to do about those that a run cannot do without. */
import type { EndpointHealth, ServiceHealth } from './service.ts'

/** Without them a trial is never known to be done, or has no rank (DIALECT.md, the least a dialect must give). */
const NEEDED = ['id', 'state', 'result.metrics.netProfit']

const METRICS = 'result.metrics.'

const widest = 120

/** Unreadable fields with their reasons, one a line; those that are absent together, as they are of one endpoint or of several. */
export function describeAmiss(endpoints: readonly EndpointHealth[]): string[] {
  const unreadable = endpoints.flatMap(({ endpoint, fields }) =>
    fields
      .filter(({ found }) => found === 'unreadable')
      .map(({ field, reason }) => `  ${endpoint}: ${field}: ${reason ?? 'unreadable'}`),
  )
  const absent = endpoints.flatMap(({ endpoint, fields }) => {
    const names = fields.filter(({ found }) => found === 'absent').map(({ field }) => field)
    return names.length === 0 ? [] : [{ endpoint, names }]
  })
  const together = Map.groupBy(absent, ({ names }) => names.join())
  return [
    ...unreadable,
    ...[...together.values()].flatMap((alike) => {
      const [{ names }] = alike
      return wrap(`  absent of ${alike.map(({ endpoint }) => endpoint).join(', ')}:`, names)
    }),
  ]
}

function wrap(opening: string, names: readonly string[]): string[] {
  const lines = [opening]
  for (const [at, name] of names.entries()) {
    const text = ` ${name}${at + 1 < names.length ? ',' : ''}`
    const last = lines.length - 1
    if (lines[last].length + text.length <= widest) lines[last] += text
    else lines.push(`   ${text}`)
  }
  return lines
}

/** At a service that is not ours: whether a run would find what it needs, and which command comes next. */
export function describeNextStep({ service, endpoints }: ServiceHealth): string[] {
  if (service?.simulated || endpoints.some(({ state }) => state === 'unreachable' || state === 'refused')) return []
  const of = (name: string) => endpoints.find(({ endpoint }) => endpoint === name)
  const isUnread = endpoints.some(({ state }) => state === 'unreadable')
  const job = [of('readJob'), of('listJobs')].find((health) => (health?.fields.length ?? 0) > 0)
  const lacking = NEEDED.filter((name) => !isRead(job, name))
  const draft = 'next: `dcalab doctor --draft my-service.mjs` drafts what reads it; `--show <endpoint>` prints a reply'
  if (isUnread || (job !== undefined && lacking.length > 0)) {
    const jobs =
      job === undefined
        ? ''
        : `a run needs of a job what is not read yet, or the job is not done: ${lacking.join(', ')}; `
    return ['', `${jobs}${draft}`]
  }
  return [
    '',
    job === undefined
      ? 'next: `dcalab run <study> --limit 1`; no job has been seen yet, so how one is read is not known'
      : `what a run needs of a job is read: ${NEEDED.join(', ')}`,
  ]
}

/** Of metrics only those are reported that have a problem. */
function isRead(job: EndpointHealth | undefined, name: string): boolean {
  const foundAs = (wanted: string) => job?.fields.find(({ field }) => field === wanted)?.found
  const isMetric = name.startsWith(METRICS)
  return isMetric ? foundAs('result.metrics') === 'read' && foundAs(name) === undefined : foundAs(name) === 'read'
}
