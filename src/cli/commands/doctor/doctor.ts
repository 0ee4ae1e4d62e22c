/**
 * `dcalab doctor`: reports the service, the store and the settings without changing them. It sends only documented GET requests
 * and reports how the replies were understood; it reports the health of the store and the settings in force.
 */

import { ENDPOINTS, type EndpointName } from '../../../contract/endpoints.ts'
import { Failure } from '../../../errors.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { option } from '../../option.ts'
import { countOf, type Line, printJson, printLines } from '../../output.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'
import { describeAmiss, describeNextStep } from './lacking-fields.ts'
import type { ServiceHealth, ShownEndpoint } from './service.ts'
import { describeSettings, type ShownSetting } from './settings.ts'
import type { StoreHealth } from './store.ts'

/** Those that change nothing, and the one whose answer cost allowance. */
const SHOWN_ENDPOINTS = (Object.keys(ENDPOINTS) as EndpointName[]).filter(
  (name): name is ShownEndpoint => ENDPOINTS[name].method === 'GET' || name === 'createJob',
)

interface DoctorOptions extends CommonOptions {
  readonly exchange?: string
  readonly show?: string
  readonly draft?: string
}

export const doctorCommand: Register = (program, context) => {
  const command = program
    .command('doctor')
    .description('looks at settings, store and service, and only asks there; shows how each reply was understood')
    .addOption(
      option('--exchange <name>', 'whose symbols to ask for', {
        otherwise: 'one that a bot, a job or the candle folder names',
      }),
    )
  command
    .addOption(
      option('--show <endpoint>', `print what the service replied there, without keys: ${SHOWN_ENDPOINTS.join(', ')}`),
    )
    .addOption(
      option(
        '--draft <file>',
        'write a dialect for what could not be read, each guess with its reason; adds to the one in force',
      ),
    )
  withExamples(withCandles(withStore(command)), [
    'dcalab doctor --show listJobs',
    'dcalab doctor --draft my-service.mjs',
  ]).action((options: DoctorOptions) => examine(context, options))
}

async function examine(context: Context, options: DoctorOptions): Promise<void> {
  const { show, draft } = options
  const shownEndpoint = show === undefined ? undefined : SHOWN_ENDPOINTS.find((name) => name === show)
  if (show !== undefined && shownEndpoint === undefined) {
    throw new Failure('usage', `--show ${show}: expected one of ${SHOWN_ENDPOINTS.join(', ')}`)
  }
  const { store: path, candlesFolder } = pathsOf(context, options)
  const [{ checkStore }, { probeService }] = await Promise.all([import('./store.ts'), import('./service.ts')])
  const settings = describeSettings(context.settings(), { store: path, candlesFolder })
  const store = await checkStore(context, path)
  const service =
    store.state === 'unusable'
      ? null // every request must be recorded in the store's log
      : await probeService(context, {
          path,
          candlesFolder,
          exchange: options.exchange,
          guessing: Boolean(show || draft),
        })
  if (service !== null && shownEndpoint !== undefined) return showReply(context, service, shownEndpoint)
  if (service !== null && draft !== undefined) return tellDraft(context, service, { ...options, draft })
  const exitCode = store.state === 'unusable' ? 6 : (service?.exitCode ?? 0)
  if (exitCode !== 0) context.endWith(exitCode)
  const { terminal } = context.system
  if (options.json) {
    const none = { service: null, allowance: null, endpoints: [], console: [] }
    const { service: who, allowance, endpoints, console } = service ?? none
    return printJson(terminal, { settings, store, service: who, allowance, endpoints, console })
  }
  await printLines(terminal, [
    ...describeSettingLines(settings),
    '',
    ...describeStore(store),
    '',
    ...(service === null ? ['service   not asked: the store has to be usable first'] : describeService(service)),
  ])
}

/** @throws Failure serviceUnreadable when nothing was received there */
async function showReply(context: Context, { texts, endpoints }: ServiceHealth, shown: ShownEndpoint): Promise<void> {
  const text = texts[shown]
  const { terminal } = context.system
  if (text === undefined) {
    const why =
      endpoints.find(({ endpoint }) => endpoint === shown)?.note ?? 'no submission was answered without becoming a job'
    throw new Failure('serviceUnreadable', `${shown}: there is no reply to show: ${why}`)
  }
  const { parseLossless } = await import('../../../workbench/api/lossless-json.ts')
  const json = parseLossless(text)
  return json === undefined ? printLines(terminal, [text]) : printJson(terminal, json.value)
}

async function tellDraft(
  context: Context,
  service: ServiceHealth,
  { draft, json }: DoctorOptions & { readonly draft: string },
): Promise<void> {
  const { writeDraft } = await import('./draft.ts')
  const { terminal } = context.system
  const states = service.endpoints.map(({ state }) => state)
  if (states.includes('refused') || states.includes('unreachable')) context.endWith(service.exitCode)
  const written = writeDraft(draft, service, context.settings().dialect)
  if (json) return printJson(terminal, written)
  if (written.functions.length === 0 && written.lines === 0) {
    if (written.unread.length > 0) {
      const remedy = 'correct `job` and `jobList` in the dialect in force, or draft into a new file without it'
      return printLines(terminal, [
        `of the listed jobs is not read: ${written.unread.join(', ')}; ${remedy} (\`dcalab doctor --show listJobs\` prints the list)`,
      ])
    }
    return printLines(terminal, ['nothing to draft: what was received is read, or the dialect in force spells it'])
  }
  await printLines(terminal, [
    `${draft}: ${written.functions.join(', ') || 'what was not there to be seen before'} drafted, ${written.lines} lines; each guess says why: correct what is wrong`,
    `next: DCALAB_DIALECT=${draft} dcalab doctor`,
  ])
}

function describeSettingLines(settings: readonly ShownSetting[]): string[] {
  return settings.map(({ name, value }) => `${name.padEnd(15)} ${value}`)
}

function describeStore(store: StoreHealth): string[] {
  if (store.state === 'unusable') return [`store     ${store.path}: ${store.problem}`, `          ${store.hint}`]
  const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} kB`
  return [
    `store     ${store.path}: ${store.state}, ${kilobytes(store.bytes)}, write-ahead log ${kilobytes(store.walBytes)}`,
    `          checked whole ${store.checkedAt}, which is done once a day and after a program that was killed`,
    `          ${store.studies === 1 ? '1 study' : `${store.studies} studies`}, ${countOf(store.jobs, 'job')}, ${countOf(store.unresolved, 'unresolved attempt')}`,
    ...store.warnings.map((warning) => `          warning: ${warning}`),
  ]
}

function describeService(health: ServiceHealth): Line[] {
  const { service, allowance, endpoints, console } = health
  const skew = service?.clockSkewSeconds ?? null
  const amiss = describeAmiss(endpoints)
  return [
    ...(service === null
      ? ['service   who it is cannot be told: see below']
      : [`service   ${service.identity}${service.simulated ? ' (simulated)' : ''}`]),
    ...(skew === null ? [] : [`clock     the service’s is ${describeSkew(skew)}`]),
    ...(allowance === null
      ? []
      : [
          `allowance ${allowance.ledger.used} of ${allowance.ledger.limit} used by our ledger; ` +
            `${allowance.service.used ?? '?'} of ${allowance.service.limit ?? '?'} by the service`,
        ]),
    '',
    fittingTable(endpoints, [
      { title: 'endpoint', value: (row) => row.endpoint },
      { title: 'asked', value: (row) => `${row.method} ${row.path}` },
      { title: 'state', value: (row) => row.state },
      { title: 'items', value: (row) => row.items },
      { title: 'read', value: (row) => countFields(row, ['read']) },
      { title: 'null', value: (row) => countFields(row, ['null']) },
      { title: 'absent', value: (row) => countFields(row, ['absent']) },
      { title: 'unreadable', value: (row) => countFields(row, ['unreadable']) },
      { title: 'note', value: (row) => row.note },
    ]),
    ...(amiss.length === 0 ? [] : ['', 'not found or not understood (NULL here; the raw reply is kept):', ...amiss]),
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
