/**
 * `dcalab service check` and `dcalab service draft`: the settings in force, and how the service's replies are understood. Only documented GET
 * requests are sent; nothing is changed there.
 */

import { Failure } from '../../../errors.ts'
import { parseLossless } from '../../../workbench/api/lossless-json.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type Line, printJson, printLines, verbatim } from '../../output.ts'
import type { Settings } from '../../settings.ts'
import { fittingTable } from '../../table.ts'
import { type Paths, pathsOf } from '../../workbench.ts'
import {
  type EndpointHealth,
  probeService,
  type ServiceHealth,
  type ShownEndpoint,
  writeDraft,
} from './read-endpoints.ts'

export interface ProbeOptions extends CommonOptions {
  readonly exchange?: string
}

export interface CheckOptions extends ProbeOptions {
  readonly show?: ShownEndpoint
}

export async function checkService(context: Context, options: CheckOptions): Promise<void> {
  const { show } = options
  const health = await probeService(context, options, show !== undefined)
  if (show !== undefined) return showReply(context, health, show)
  if (health.exitCode !== 0) context.endWith(health.exitCode)
  const { terminal } = context.system
  const settings = describeSettings(context.settings(), pathsOf(context, options))
  const { service, allowance, endpoints, console } = health
  if (options.json) return printJson(terminal, { settings, service, allowance, endpoints, console })
  await printLines(terminal, [
    ...settings.map(({ name, value }) => `${name.padEnd(15)} ${value}`),
    '',
    ...describeService(health),
  ])
}

/** @throws Failure serviceUnreadable when nothing was received there */
async function showReply(context: Context, { texts, endpoints }: ServiceHealth, shown: ShownEndpoint): Promise<void> {
  const text = texts[shown]
  const { terminal } = context.system
  if (text === undefined) {
    const why = endpoints.find(({ endpoint }) => endpoint === shown)?.note ?? 'every answered submission became a job'
    throw new Failure('serviceUnreadable', `${shown}: there is no reply to show: ${why}`)
  }
  const json = parseLossless(text)
  return json === undefined ? printLines(terminal, verbatim(text)) : printJson(terminal, json.value)
}

export async function draftDialect(context: Context, file: string, options: ProbeOptions): Promise<void> {
  const service = await probeService(context, options, true)
  const { terminal } = context.system
  const states = service.endpoints.map(({ state }) => state)
  if (states.includes('refused') || states.includes('unreachable')) context.endWith(service.exitCode)
  const written = writeDraft(file, service, context.settings().dialect)
  if (options.json) return printJson(terminal, written)
  if (written.functions.length === 0 && written.lines === 0) {
    if (written.unread.length > 0) {
      const remedy = 'correct `job` and `jobList` in the dialect, or draft a new file without it'
      return printLines(terminal, [
        `not read of the listed jobs: ${written.unread.join(', ')}; ${remedy} (\`dcalab service check --show listJobs\` prints the list)`,
      ])
    }
    return printLines(terminal, ['nothing to draft: all replies so far are read'])
  }
  await printLines(terminal, [
    `${file}: ${written.functions.join(', ') || 'nothing new'} drafted, ${written.lines} lines; each guess gives its reason: correct what is wrong`,
    `then try it: DCALAB_DIALECT=${file} dcalab service check`,
  ])
}

function describeService(health: ServiceHealth): Line[] {
  const { service, allowance, endpoints, console } = health
  const skew = service?.clockSkewSeconds ?? null
  const amiss = describeAmiss(endpoints)
  return [
    ...(service === null
      ? ['service   not identified: see below']
      : [`service   ${service.identity}${service.simulated ? ' (simulated)' : ''}`]),
    ...(skew === null ? [] : [`clock     the service’s is ${describeSkew(skew)}`]),
    ...(allowance === null
      ? []
      : [
          `daily limit ${allowance.ledger.used} of ${allowance.ledger.limit} used, counted here; ` +
            `${allowance.service.used ?? '?'} of ${allowance.service.limit ?? '?'} by the service`,
        ]),
    '',
    fittingTable(endpoints, [
      { title: 'endpoint', role: 'id', value: (row) => row.endpoint },
      { title: 'asked', role: 'detail', value: (row) => `${row.method} ${row.path}` },
      { title: 'state', role: 'varied', value: (row) => row.state },
      { title: 'items', value: (row) => row.items },
      { title: 'read', value: (row) => countFields(row, ['read']) },
      { title: 'null', value: (row) => countFields(row, ['null']) },
      { title: 'absent', value: (row) => countFields(row, ['absent']) },
      { title: 'unreadable', role: 'alarm', value: (row) => countFields(row, ['unreadable']) },
      { title: 'note', role: 'varied', value: (row) => row.note },
    ]),
    ...(amiss.length === 0 ? [] : ['', 'fields missing or unreadable (stored as NULL; the reply is kept):', ...amiss]),
    // One line each, whatever stands in it: texts of the service are among what a dialect writes.
    ...(console.length === 0
      ? []
      : ['', 'the dialect’s console:', ...console.map((line) => `  ${line.replaceAll('\n', '\\n')}`)]),
    ...describeNextStep(health),
  ]
}

function countFields({ fields }: ServiceHealth['endpoints'][number], found: readonly string[]): number | null {
  return fields.length === 0 ? null : fields.filter((field) => found.includes(field.found)).length
}

function describeSkew(seconds: number): string {
  if (Math.abs(seconds) <= 1) return 'within a second of ours'
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ours`
}

interface ShownSetting {
  readonly name: string
  readonly value: string
}

/** The settings in force, keys only as set or unset. `paths`: with the flags applied. */
function describeSettings(settings: Settings, paths: Paths): ShownSetting[] {
  const isSet = (value: unknown) => (value === undefined ? 'unset' : 'set')
  const embedded = settings.baseUrl === undefined
  return [
    { name: 'service', value: settings.baseUrl ?? 'embedded: started in this process' },
    { name: 'keys', value: embedded ? 'issued at each start' : isSet(settings.keys) },
    { name: 'trading keys', value: isSet(settings.tradeKeys) },
    { name: 'owner', value: settings.userEmail ?? (embedded ? 'the embedded service’s researcher' : 'unset') },
    { name: 'result store', value: paths.store },
    { name: 'service store', value: settings.serviceStore },
    { name: 'candle folder', value: paths.candlesFolder },
    { name: 'dialect', value: settings.dialect ?? 'built in' },
    { name: 'locks', value: settings.stateFolder ?? 'beside the store' },
  ]
}

/** Without them a trial is never known to be done, or has no rank (DIALECT.md, the least a dialect must give). */
const NEEDED = ['id', 'state', 'result.metrics.netProfit']

const METRICS = 'result.metrics.'

const widest = 120

/** Unreadable fields with their reasons, one a line; those that are absent together, as they are of one endpoint or of several. */
function describeAmiss(endpoints: readonly EndpointHealth[]): string[] {
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
function describeNextStep({ service, endpoints }: ServiceHealth): string[] {
  if (service?.simulated || endpoints.some(({ state }) => state === 'unreachable' || state === 'refused')) return []
  const of = (name: string) => endpoints.find(({ endpoint }) => endpoint === name)
  const isUnread = endpoints.some(({ state }) => state === 'unreadable')
  const job = [of('readJob'), of('listJobs')].find((health) => (health?.fields.length ?? 0) > 0)
  const lacking = NEEDED.filter((name) => !isRead(job, name))
  const draft =
    '`dcalab service draft my-service.mjs` drafts a dialect; `dcalab service check --show <endpoint>` prints a reply'
  if (isUnread || (job !== undefined && lacking.length > 0)) {
    const jobs =
      job === undefined
        ? ''
        : `a run needs fields of a job that are not read yet (or the job is not done): ${lacking.join(', ')}; `
    return ['', `${jobs}${draft}`]
  }
  return [
    '',
    job === undefined
      ? 'no job has been seen yet: `dcalab run <study> --max 1` sends one'
      : `all fields of a job that a run needs are read: ${NEEDED.join(', ')}`,
  ]
}

/** Of metrics only those are reported that have a problem. */
function isRead(job: EndpointHealth | undefined, name: string): boolean {
  const foundAs = (wanted: string) => job?.fields.find(({ field }) => field === wanted)?.found
  const isMetric = name.startsWith(METRICS)
  return isMetric ? foundAs('result.metrics') === 'read' && foundAs(name) === undefined : foundAs(name) === 'read'
}
