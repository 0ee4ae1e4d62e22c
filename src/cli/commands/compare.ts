/** `dcalab compare`: a few trials side by side, with what differs between them and whether they lose on the same days. */
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { Correlation } from '../../workbench/analysis/correlation.ts'
import type { NamedService } from '../../workbench/store/choose-service.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import type { WholeTrial } from '../../workbench/store/records.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { describeSame, distinctDigits, fieldTitle, rankingColumns, scalarMetrics } from '../metrics-table.ts'
import { formatNumber, formatTime, type Line, printAnswer, printJson, say } from '../output.ts'
import {
  choiceOf,
  chooseTrials,
  headingOf,
  ID_WORDS,
  noteService,
  serviceOfTrials,
  serviceQuestion,
  withResultChoice,
} from '../shown-service.ts'
import { type Column, fittingTable } from '../table.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

const FEWEST = 2
const MOST = 10

export const compareCommand: Register = (program, context) => {
  const command = program
    .command('compare')
    .description('compare 2 to 10 results: what differs, and their metrics')
    .argument('<id or study...>', `${ID_WORDS}, 46330614:9be2 with its settings; or a study: its best`)
  withExamples(withResultChoice(withStore(command)), [
    'dcalab compare 46330614 2ed9ffa1',
    'dcalab compare my-ladder my-finer-ladder --json',
  ]).action((names: readonly string[], options: CommonOptions & ResultChoice) =>
    withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const { findResult, idOfTrial } = await import('../../workbench/store/find-trial.ts')
      const { findStudy } = await import('../../workbench/store/study-records.ts')
      const question = await serviceQuestion(context, store, options)
      const bestOf = async (study: string) =>
        (await chooseTrials(store, study, { question })).map(({ choice }) => choice.trial)
      const found = names.map((name) =>
        findStudy(store, name) === undefined ? [findResult(store, name, choiceOf(options))] : bestOf(name),
      )
      const trials = (await Promise.all(found)).flat()
      if (trials.length < FEWEST || trials.length > MOST) {
        throw new Failure('usage', `expected ${FEWEST} to ${MOST} results, found ${trials.length}`)
      }
      const ids = namesAmong(trials, (trial) => idOfTrial(store, trial.fingerprint))
      refuseTwice(trials, ids)
      const { listServices } = await import('../../workbench/store/services.ts')
      const compared = await compareTrials(trials, { ids, services: listServices(store) })
      const of = await serviceOfTrials(store, trials)
      const { terminal } = context.system
      if (options.json) {
        noteService(terminal, of)
        return printJson(terminal, compared)
      }
      await printAnswer(terminal, [...headingOf(of), ...describe(trials, compared)])
      for (const { id, prunedAt } of compared.trials) {
        if (prunedAt !== null) say(terminal, `note: the daily equity of ${id} was deleted on ${prunedAt.slice(0, 10)}`)
      }
    }),
  )
}

const SETTINGS_DIGITS = 4

/** What distinguishes one compared result from another: its question, its configuration, what it was computed under. */
type Facts = Readonly<Record<string, string | number | null>>

function factsOf(trial: WholeTrial, service: string): Facts {
  const { market, period, config, candles, costs, conventions, symbol } = trial
  const stated = Object.entries({ ...conventions, ...symbol }).map(([name, value]) => [name, plain(value)] as const)
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
    ...Object.fromEntries(stated),
  }
}

function plain(value: unknown): string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
}

async function compareTrials(
  trials: readonly WholeTrial[],
  { ids, services }: { readonly ids: readonly string[]; readonly services: readonly NamedService[] },
) {
  const { correlateEquity } = await import('../../workbench/analysis/correlation.ts')
  const nameOf = (identity: string) => services.find((one) => one.identity === identity)?.name ?? identity
  const facts = trials.map((trial) => factsOf(trial, nameOf(trial.identity)))
  const names = [...new Set(facts.flatMap((of) => Object.keys(of)))]
  const equityOf = ({ config: { investment }, metrics }: WholeTrial) => ({
    investment,
    dailyEquity: metrics?.dailyEquity ?? [],
  })
  const pairs = trials.flatMap((a, index) =>
    trials.slice(index + 1).map((b, further) => ({
      ids: [ids[index], ids[index + 1 + further]] as const,
      trials: [a.fingerprint, b.fingerprint] as const,
      settings: [a.settings, b.settings] as const,
      ...correlateEquity(equityOf(a), equityOf(b)),
    })),
  )
  return {
    trials: trials.map(({ fingerprint, identity, settings, state, config, metrics, prunedAt }, index) => ({
      id: ids[index],
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
  const rows = trials.map((trial, index) => ({ ...trial, name: facts[index].id, facts: facts[index].facts }))
  type Row = (typeof rows)[number]
  return [
    fittingTable(rows, [
      { title: 'id', role: 'id', value: ({ name }) => name },
      ...differs.map((name): Column<Row> => {
        const values = rows.map(({ facts }) => facts[name] ?? null)
        const digits = distinctDigits(values.filter((value) => typeof value === 'number'))
        return { title: fieldTitle(name), role: 'varied', value: ({ facts }) => facts[name] ?? null, digits }
      }),
      ...rankingColumns<Row>('netProfit', (row) => row),
    ]),
    ...(differs.length === 0 ? ['all settings are the same'] : []),
    ...describeSame(
      rows.at(0)?.config,
      CONFIG_FIELDS.filter((field) => differs.includes(field)),
    ),
    '',
    'correlation of daily returns:',
    ...equity.map((pair) => `  ${pair.ids.join(' and ')}: ${describeCorrelation(pair)}`),
  ]
}

/** As they are typed: with the market where a configuration is compared on several, with its settings where a trial is under several. */
function namesAmong(trials: readonly WholeTrial[], idOf: (trial: WholeTrial) => string): readonly string[] {
  const ids = trials.map(idOf)
  return trials.map(({ fingerprint, market, settings }, at) => {
    const alike = trials.filter((_, other) => ids[other] === ids[at])
    const isOnSeveral = new Set(alike.map((trial) => marketName(trial.market))).size > 1
    const isUnderSeveral = alike.filter((trial) => trial.fingerprint === fingerprint).length > 1
    const onMarket = isOnSeveral ? `@${market.baseAsset}-${market.quoteAsset}` : ''
    return `${ids[at]}${onMarket}${isUnderSeveral ? `:${settings?.slice(0, SETTINGS_DIGITS) ?? 'none'}` : ''}`
  })
}

function describeCorrelation({ days, correlation }: Correlation): string {
  return correlation === null
    ? `n/a (${days} days in common, or one equity curve is flat)`
    : `${formatNumber(correlation, 2)} over ${days} days`
}

/** @throws Failure usage */
function refuseTwice(trials: readonly WholeTrial[], ids: readonly string[]): void {
  const names = trials.map(({ fingerprint, identity, settings }) => JSON.stringify([fingerprint, identity, settings]))
  const twice = names.findIndex((name, at) => names.indexOf(name) < at)
  if (twice !== -1) throw new Failure('usage', `${ids[twice]} is named twice`)
}
