/** `dcalab show`: everything the store has about one trial. */
import { marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { Doubt } from '../../workbench/analysis/doubts/doubts.ts'
import type { WholeTrial } from '../../workbench/store/records.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { describeConventions, describeMetrics, inDeals } from '../metrics-table.ts'
import { formatTime, printJson, printLines } from '../output.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

export const showCommand: Register = (program, context) => {
  const command = program
    .command('show')
    .description('one trial: its configuration, its job, every metric')
    .argument('<trial>', 'fingerprint, or any unique prefix of 6 or more digits')
  withExamples(withStore(command), ['dcalab show 3fa94c01b2d7', 'dcalab show 3fa94c --json']).action(
    (prefix: string, options: CommonOptions) =>
      withKnownStore(context, pathsOf(context, options).store, async (store) => {
        const [{ findTrialsByPrefix }, { findDoubts }] = await Promise.all([
          import('../../workbench/store/readers.ts'),
          import('../../workbench/analysis/doubts/find-in-trial.ts'),
        ])
        const records = onlyOneTrial(prefix, findTrialsByPrefix(store, checkPrefix(prefix))).map((record) => ({
          ...record,
          doubts: record.state === 'done' ? findDoubts(record, null) : [],
        }))
        const { terminal } = context.system
        if (options.json) return printJson(terminal, records.length === 1 ? records[0] : records)
        for (const record of records) await printLines(terminal, describeTrial(record))
      }),
  )
}

/** @throws Failure usage when the text is not the beginning of a fingerprint */
export function checkPrefix(text: string): string {
  if (/^[0-9a-f]{6,64}$/.test(text)) return text
  throw new Failure('usage', `expected a fingerprint or 6 or more of its first digits, found "${text}"`)
}

/** Records of the trial that a prefix names (one per service identity). @throws Failure notFound, usage when several match */
export function onlyOneTrial(prefix: string, records: readonly WholeTrial[]): readonly WholeTrial[] {
  const fingerprints = [...new Set(records.map((record) => record.fingerprint))]
  if (fingerprints.length === 0) throw new Failure('notFound', `the store holds no trial ${prefix}…`)
  if (fingerprints.length > 1) {
    const shown = fingerprints.slice(0, 5).map((fingerprint) => fingerprint.slice(0, 16))
    throw new Failure('usage', `${prefix} begins several trials: ${shown.join(', ')}`, { hint: 'give more digits' })
  }
  return records
}

interface ShownTrial extends WholeTrial {
  /** Of its result; those of a choice are `promote`'s. */
  readonly doubts: readonly Doubt[]
}

function describeTrial(record: ShownTrial): string[] {
  const { market, period, config, candles } = record
  return [
    `trial    ${record.fingerprint}`,
    `service  ${record.identity}${record.simulated ? ' (simulated)' : ''}`,
    `market   ${marketName(market)}, ${formatTime(period.from)} to ${formatTime(period.to)}`,
    ...(candles === null
      ? []
      : [
          `candles  ${candles.interval}, ${candles.count ?? '?'} of them, ${candles.missing ?? '?'} missing${inDeals(record.metrics)}${candles.synthetic ? ', synthetic' : ''}`,
          `hash     ${candles.hash ?? '-'}`,
        ]),
    `state    ${record.state}${record.failure === null ? '' : `: ${record.failure}`}`,
    `job      ${record.jobId ?? '-'}, submitted ${record.submittedAt ?? '-'}, finished ${record.finishedAt ?? '-'}`,
    '',
    ...Object.entries(config).map(([field, value]) => `${field.padEnd(24)} ${value}`),
    ...(record.costs === null
      ? []
      : [`${'fee and slippage'.padEnd(24)} ${record.costs.feePercent} %, ${record.costs.slippagePercent} %`]),
    ...(record.conventions === null ? [] : describeConventions(record.conventions)),
    '',
    ...(record.metrics === null ? ['no result yet'] : describeMetrics(record.metrics)),
    ...record.doubts.map(({ code, message }) => `doubt    ${code}: ${message}`),
    ...Object.entries(record.metricFlags).map(([metric, flag]) => `note: ${metric}: ${flag}`),
    '',
  ]
}
