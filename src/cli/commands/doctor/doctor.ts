/**
 * `dcalab doctor`: reports the service, the store and the settings without changing them. It sends only documented GET requests
 * and reports how the replies were understood; it reports the health of the store and the settings in force.
 */

import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { option } from '../../option.ts'
import { formatTable, printJson, printLines } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'
import type { ServiceHealth } from './service.ts'
import { describeSettings, type ShownSetting } from './settings.ts'
import type { StoreHealth } from './store.ts'

interface DoctorOptions extends CommonOptions {
  readonly exchange?: string
}

export const doctorCommand: Register = (program, context) => {
  const command = program
    .command('doctor')
    .description('looks at settings, store and service without changing anything; shows how each reply was understood')
    .addOption(
      option('--exchange <name>', 'whose symbols to ask for', {
        otherwise: 'one that a bot, a job or the candle folder names',
      }),
    )
  withExamples(withCandles(withStore(command)), ['dcalab doctor', 'dcalab doctor --exchange binance --json']).action(
    (options: DoctorOptions) => examine(context, options),
  )
}

async function examine(context: Context, options: DoctorOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const [{ checkStore }, { probeService }] = await Promise.all([import('./store.ts'), import('./service.ts')])
  const settings = describeSettings(context.settings(), { store: path, candlesFolder })
  const store = await checkStore(context, path)
  const service =
    store.state === 'unusable'
      ? null // every request must be recorded in the store's log
      : await probeService(context, { path, candlesFolder, exchange: options.exchange })
  const exitCode = store.state === 'unusable' ? 6 : (service?.exitCode ?? 0)
  if (exitCode !== 0) context.endWith(exitCode)
  const { terminal } = context.system
  if (options.json) {
    const { exitCode: _, ...shown } = service ?? { exitCode: 0, service: null, allowance: null, endpoints: [] }
    return printJson(terminal, { settings, store, ...shown })
  }
  await printLines(terminal, [
    ...describeSettingLines(settings),
    '',
    ...describeStore(store),
    '',
    ...(service === null ? ['service   not asked: the store has to be usable first'] : describeService(service)),
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
    `          ${store.studies} studies, ${store.jobs} jobs, ${store.unresolved} unresolved attempts`,
    ...store.warnings.map((warning) => `          warning: ${warning}`),
  ]
}

function describeService({ service, allowance, endpoints }: ServiceHealth): string[] {
  const skew = service?.clockSkewSeconds ?? null
  const amiss = endpoints.flatMap(({ endpoint, fields }) =>
    fields
      .filter(({ found }) => found === 'absent' || found === 'unreadable')
      .map(({ field, found, reason }) => `  ${endpoint}: ${field}: ${reason ?? found}`),
  )
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
    ...formatTable(endpoints, [
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
  ]
}

function countFields({ fields }: ServiceHealth['endpoints'][number], found: readonly string[]): number | null {
  return fields.length === 0 ? null : fields.filter((field) => found.includes(field.found)).length
}

function describeSkew(seconds: number): string {
  if (Math.abs(seconds) <= 1) return 'within a second of ours'
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ours`
}
