/** `dcalab compare`: a few trials side by side, with what differs between them and whether they lose on the same days. */
import { marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { Correlation } from '../../workbench/analysis/equity-correlation.ts'
import type { NamedService } from '../../workbench/store/choose-service.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import type { WholeTrial } from '../../workbench/store/records.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { rankingColumns, scalarMetrics } from '../metrics-table.ts'
import { formatNumber, formatTime, type Line, printAnswer, printJson, say } from '../output.ts'
import { choiceOf, TRIAL_WORDS, withResultChoice } from '../result-choice.ts'
import { headingOf, noteService, serviceOfTrials } from '../shown-service.ts'
import { fittingTable } from '../table.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

const FEWEST = 2
const MOST = 10

export const compareCommand: Register = (program, context) => {
  const command = program
    .command('compare')
    .description('compare 2 to 10 results: what differs, and their metrics')
    .argument('<trial...>', `${TRIAL_WORDS}; add its settings where it has several results: 3fa94c01:9be2`)
  withExamples(withResultChoice(withStore(command)), [
    'dcalab compare 3fa94c01 77d0b1ce',
    'dcalab compare 3fa94c01:9be2 3fa94c01:51c7 --json',
  ]).action((names: readonly string[], options: CommonOptions & ResultChoice) =>
    withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      if (names.length < FEWEST || names.length > MOST) {
        throw new Failure('usage', `expected ${FEWEST} to ${MOST} trials, found ${names.length}`)
      }
      const { findResult } = await import('../../workbench/store/find-trial.ts')
      const trials = names.map((name) => findResult(store, name, choiceOf(options)))
      refuseTwice(trials)
      const { listServices } = await import('../../workbench/store/services.ts')
      const compared = await compareTrials(trials, listServices(store))
      const of = await serviceOfTrials(store, trials)
      const { terminal } = context.system
      if (options.json) {
        noteService(terminal, of)
        return printJson(terminal, compared)
      }
      await printAnswer(terminal, [...headingOf(of), ...describe(trials, compared)])
      for (const { trial, prunedAt } of compared.trials) {
        if (prunedAt !== null)
          say(terminal, `note: the daily equity of ${shown(trial)} was pruned on ${prunedAt.slice(0, 10)}`)
      }
    }),
  )
}

const SETTINGS_DIGITS = 4

/** What tells one compared result from another: its question, its configuration, what it was computed under. */
type Facts = Readonly<Record<string, string | number | null>>

function factsOf(trial: WholeTrial, service: string): Facts {
  const { market, period, config, candles, costs, conventions, symbol } = trial
  const told = Object.entries({ ...conventions, ...symbol }).map(([name, value]) => [name, plain(value)] as const)
  return {
    market: marketName(market),
    from: formatTime(period.from),
    to: formatTime(period.to),
    ...config,
    service,
    interval: candles?.interval ?? null,
    candles: candles?.hash?.slice(0, 12) ?? null,
    feePercent: costs?.feePercent ?? null,
    slippagePercent: costs?.slippagePercent ?? null,
    ...Object.fromEntries(told),
  }
}

function plain(value: unknown): string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
}

async function compareTrials(trials: readonly WholeTrial[], services: readonly NamedService[]) {
  const { correlateEquity } = await import('../../workbench/analysis/equity-correlation.ts')
  const nameOf = (identity: string) => services.find((one) => one.identity === identity)?.name ?? identity
  const facts = trials.map((trial) => factsOf(trial, nameOf(trial.identity)))
  const names = [...new Set(facts.flatMap((of) => Object.keys(of)))]
  const equityOf = ({ metrics }: WholeTrial) => metrics?.dailyEquity ?? []
  const pairs = trials.flatMap((a, index) =>
    trials.slice(index + 1).map((b) => ({
      trials: [a.fingerprint, b.fingerprint] as const,
      settings: [a.settings, b.settings] as const,
      ...correlateEquity(equityOf(a), equityOf(b)),
    })),
  )
  return {
    trials: trials.map(({ fingerprint, identity, settings, state, config, metrics, prunedAt }, index) => ({
      trial: fingerprint,
      identity,
      service: nameOf(identity),
      settings,
      state,
      config,
      facts: facts[index],
      metrics: scalarMetrics(metrics),
      prunedAt,
    })),
    differs: names.filter((name) => new Set(facts.map((of) => of[name] ?? null)).size > 1),
    equity: pairs,
  }
}

type Compared = Awaited<ReturnType<typeof compareTrials>>

function describe(trials: readonly WholeTrial[], { trials: facts, differs, equity }: Compared): Line[] {
  const rows = trials.map((trial, index) => ({ ...trial, facts: facts[index].facts }))
  type Row = (typeof rows)[number]
  return [
    fittingTable(
      rows,
      [
        { title: 'trial', value: (row) => nameAmong(trials, row) },
        ...differs.map((name) => ({
          title: name.replace(/^dca/, ''),
          value: (row: Row) => (row.facts[name] === undefined ? null : String(row.facts[name] ?? '-')),
          spare: true,
        })),
        ...rankingColumns<Row>('netProfit', (row) => row),
      ],
      { narrow: true },
    ),
    ...(differs.length === 0 ? ['all settings are the same'] : []),
    '',
    'correlation of daily returns:',
    ...equity.map((pair) => {
      const [a, b] = pair.trials.map((fingerprint, n) => nameAmong(trials, { fingerprint, settings: pair.settings[n] }))
      return `  ${a} and ${b}: ${describeCorrelation(pair)}`
    }),
  ]
}

/** As it is typed: with the first digits of its settings where the same trial is compared under several. */
function nameAmong(
  trials: readonly WholeTrial[],
  { fingerprint, settings }: Pick<WholeTrial, 'fingerprint' | 'settings'>,
): string {
  const several = trials.filter((trial) => trial.fingerprint === fingerprint).length > 1
  return several ? `${shown(fingerprint)}:${settings?.slice(0, SETTINGS_DIGITS) ?? 'none'}` : shown(fingerprint)
}

function describeCorrelation({ days, correlation }: Correlation): string {
  return correlation === null
    ? `n/a (${days} days in common, or one equity curve is flat)`
    : `${formatNumber(correlation, 2)} over ${days} days`
}

function shown(fingerprint: string): string {
  return fingerprint.slice(0, 12)
}

/** @throws Failure usage */
function refuseTwice(trials: readonly WholeTrial[]): void {
  const names = trials.map(({ fingerprint, identity, settings }) => JSON.stringify([fingerprint, identity, settings]))
  const twice = trials.find((_, index) => names.indexOf(names[index]) < index)
  if (twice !== undefined) throw new Failure('usage', `trial ${shown(twice.fingerprint)} is named twice`)
}
