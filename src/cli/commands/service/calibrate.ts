/** `dcalab service calibrate`: works out by a few jobs which conventions and costs a service uses that does not state them. */
import { writeFileSync } from 'node:fs'
import { METRICS } from '../../../contract/metrics.ts'
import { Failure, shellWord } from '../../../errors.ts'
import type { RunSummary } from '../../../workbench/run/run.ts'
import type { MarketOnCandles } from '../../../workbench/screen/screen-markets.ts'
import { type ComparedMetric, isMoney } from '../../../workbench/search/calibration/compared-metrics.ts'
import type { Explanation } from '../../../workbench/search/calibration/explain.ts'
import { createCalibrationSearch } from '../../../workbench/search/searches.ts'
import type { Searching } from '../../../workbench/store/kept-proposals.ts'
import { spellConventions } from '../../../workbench/study/conventions-text.ts'
import { replaceMappings } from '../../../workbench/study/rewrite-source.ts'
import type { Study } from '../../../workbench/study/study.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { isGiven, readInput } from '../../input.ts'
import { loadMarket } from '../../local-candles.ts'
import {
  countOf,
  type FittingTable,
  formatNumber,
  type Line,
  printJson,
  printLines,
  say,
  type Tone,
} from '../../output.ts'
import { runStudyFile } from '../../run-study-file.ts'
import { keepExplanation, openCalibrator } from '../../searching.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'
import { exitCodeOf, STOP_EXIT_CODES } from '../run.ts'

export interface CalibrateOptions extends CommonOptions {
  readonly write?: boolean
  readonly wait?: boolean
}

export async function calibrateFile(context: Context, file: string, options: CalibrateOptions): Promise<void> {
  if (context.settings().baseUrl === undefined)
    throw nothingToFind('DCALAB_BASE_URL is not set, and the embedded service')
  const text = options.write ? readInput(file) : ''
  const { summary, explanation, tests } = await askService(context, file, options)
  if (summary.stoppedBy !== null) {
    say(
      context.system.terminal,
      `stopped by ${summary.stoppedBy} after ${countOf(tests, 'test backtest')}: run the same command to continue`,
    )
    if (options.json) await printJson(context.system.terminal, { stoppedBy: summary.stoppedBy, tests })
    return context.endWith(exitCodeOf(summary, context))
  }
  if (explanation === null) {
    throw new Failure(
      'serviceUnreadable',
      `${countOf(tests, 'test backtest')} of ${file} stated no profit: there is nothing to compare`,
      {
        hint: 'see `dcalab service jobs list` for the jobs and `dcalab service check` for what is read of this service',
      },
    )
  }
  const isWritten = options.write === true && !explanation.isPoor
  if (isWritten) await writeFound(file, text, explanation)
  if (explanation.isPoor) context.endWith(STOP_EXIT_CODES.agreement)
  const { terminal } = context.system
  if (options.json) return printJson(terminal, { ...shownExplanation(explanation), written: isWritten })
  const notWritten = options.write
    ? 'not written: no rule set fits well enough; copy it into the file by hand to accept it'
    : undefined
  const named = shellWord(file)
  if (!explanation.isPoor && isGiven(context, file)) {
    context.suggestNext(isWritten ? `dcalab study check ${named}` : `dcalab service calibrate ${named} --write`)
  }
  const next = isWritten
    ? `written into ${file}`
    : explanation.isPoor
      ? notWritten
      : '--write puts this into the file and sends nothing again'
  return printLines(terminal, [...describeExplanation(explanation), ...(next === undefined ? [] : [next])])
}

interface Asked {
  readonly summary: RunSummary
  /** null where the run ended before, or no test backtest showed anything. */
  readonly explanation: Explanation | null
  /** So many have ended. */
  readonly tests: number
}

/** @throws Failure usage on a service of ours, before anything is paid */
async function askService(context: Context, file: string, options: CalibrateOptions): Promise<Asked> {
  const { candlesFolder } = pathsOf(context, options)
  let explanation: Explanation | null = null
  let isOwn = false
  const searchFor = (study: Study): Searching => ({
    period: study.period,
    roles: ['test'],
    start: (input) => {
      let loaded: MarketOnCandles | undefined
      const onCandles = () => {
        loaded ??= loadMarket(candlesFolder, study, study.markets[0])
        return loaded
      }
      const search = createCalibrationSearch({
        market: study.markets[0],
        openCalibrator: () => openCalibrator(context, study, onCandles()),
        onConcluded: async (found) => {
          explanation = found
          if (found !== null) await keepExplanation(input, onCandles(), found)
        },
      })
      isOwn = input.isOwn
      return isOwn ? { ...search, propose: async () => ({ kind: 'end', stoppedBy: null }) } : search
    },
  })
  const summary = await runStudyFile(context, { file, options, searchFor })
  if (isOwn) throw nothingToFind('dcalab’s own service')
  return { summary, explanation, tests: (summary.trials.done ?? 0) + (summary.trials.failed ?? 0) }
}

function nothingToFind(service: string): Failure {
  return new Failure('usage', `nothing to work out: ${service} uses the fees and fill rules of the study`, {
    hint: 'set DCALAB_BASE_URL and its keys to calibrate another service',
  })
}

/** What is under other keys stays, to the last space. */
async function writeFound(file: string, text: string, { best }: Explanation): Promise<void> {
  const written = replaceMappings(text, {
    conventions: spellConventions(best.conventions),
    costs: { feePercent: best.costs.feePercent, slippagePercent: best.costs.slippagePercent },
  })
  try {
    writeFileSync(file, written)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('usage', `cannot write ${file}: ${reason}`, {
      cause,
      hint: 'the result is stored; run the same command to write it, free',
    })
  }
}

function shownExplanation(explanation: Explanation) {
  const { best, ties, jobs, traits, setAside, residual, sets, remaining, isSettled, isPoor, fills } = explanation
  return {
    jobs: jobs.length,
    best: { conventions: best.conventions, costs: best.costs },
    ties: ties.map(({ trait, values }) => [trait, ...values]),
    evidence: jobs,
    decidedBy: traits,
    setAside,
    residual,
    candidates: sets,
    remaining,
    settled: isSettled,
    poor: isPoor,
    fills,
  }
}

export function describeExplanation(explanation: Explanation): Line[] {
  return [
    ...describeMatch(explanation),
    '',
    traitTable(explanation),
    '',
    jobTable(explanation),
    '',
    ...remarks(explanation),
  ]
}

function describeMatch({ isPoor, isConfirmed, jobs, sets, remaining, residual }: Explanation): Line[] {
  const compared = `${countOf(jobs.length, 'backtest')}, ${sets} rule sets, each with the fee and slippage that fit it best`
  if (!isPoor) return [`${compared}: ${remaining === 1 ? 'one explains' : `${remaining} explain`} every value`]
  if (residual === 0 || !isConfirmed) {
    return [
      {
        label: 'not found',
        tone: 'bad',
        text: `: ${countOf(jobs.length, 'result')} are too few to choose among ${sets} rule sets`,
      },
    ]
  }
  return [
    {
      label: 'not found',
      tone: 'bad',
      text: `: no rule set explains this service. The nearest differ by up to ${formatNumber(residual, 4)} % of the investment and may be wrong.`,
    },
    `${compared}. The service may use other candles or other symbol rules. If it sizes the first safety order by itself, name safetyOrderSize under conventions.`,
  ]
}

function traitTable({ traits, ties, isPoor }: Explanation): FittingTable {
  const othersOf = (trait: string) => ties.find((tie) => tie.trait === trait)?.values.slice(1) ?? []
  const tone = toneOf(isPoor)
  return fittingTable(traits, [
    { title: 'convention', value: ({ trait }) => trait, tone },
    { title: 'value', value: ({ value }) => spelled(value), tone },
    { title: 'or', value: ({ trait }) => othersOf(trait).map(spelled).join(', ') || null, tone },
    { title: 'decided by', value: ({ decidedBy }) => decidedBy?.trial.slice(0, 12) ?? null, tone },
    { title: 'metric', value: ({ decidedBy }) => (decidedBy === null ? null : METRICS[decidedBy.metric].title), tone },
    { title: 'service', value: ({ decidedBy }) => shown(decidedBy?.service ?? null), tone },
    { title: 'with another value', value: ({ decidedBy }) => shown(decidedBy?.otherwise ?? null), tone },
  ])
}

/** Grey: what is shown was not found. */
function toneOf(isPoor: boolean): () => Tone | undefined {
  return () => (isPoor ? 'grey' : undefined)
}

/** Costs to 4 decimals of a percent. */
function spelled(value: string | number): string {
  return typeof value === 'number' ? String(Number(value.toFixed(4))) : value
}

function jobTable({ jobs, isPoor }: Explanation): FittingTable {
  const given = comparedIn(jobs)
  const profit = given.find(isMoney)
  const metrics = [profit, given.find((metric) => metric === 'closedDeals')].filter((metric) => metric !== undefined)
  const compared = metrics.length > 0 ? metrics : given.slice(0, 1)
  const tone = toneOf(isPoor)
  return fittingTable(jobs, [
    { title: 'job', value: ({ trial }) => trial.slice(0, 12), tone },
    ...compared.flatMap((metric) => [
      { title: `${METRICS[metric].title}: service`, value: (job: Job) => shown(job.service[metric] ?? null), tone },
      { title: 'predicted', value: (job: Job) => shown(job.predicted[metric] ?? null), tone },
    ]),
  ])
}

type Job = Explanation['jobs'][number]

function comparedIn(jobs: readonly Job[]): readonly ComparedMetric[] {
  const isCompared = (name: string): name is ComparedMetric => jobs.some(({ service }) => Object.hasOwn(service, name))
  return Object.keys(jobs[0]?.service ?? {}).filter(isCompared)
}

/** Eight digits show the difference between services that compute alike and round differently. */
function shown(value: number | null): string | null {
  return value === null ? null : String(Number(value.toPrecision(8)))
}

/** Percent of the investment: sums of the same amounts in another order differ by less. */
const LAST_DIGITS = 1e-7

function remarks({ residual, ties, isSettled, setAside, fills, isPoor, jobs }: Explanation): string[] {
  const isProfitOrAside = (metric: ComparedMetric) => isMoney(metric) || setAside.includes(metric)
  const means = setAside.map((metric) => METRICS[metric].title).join(', ')
  return [
    ...(isPoor ? [] : [`largest profit error: ${formatNumber(residual, residual < 1e-4 ? 9 : 4)} % of the investment`]),
    ...(!isPoor && residual > LAST_DIGITS && comparedIn(jobs).every(isProfitOrAside)
      ? ['only rounded profits could be compared: now and then wrong fill rules match all of them']
      : []),
    ...(fills === null || isPoor
      ? []
      : [
          `this service fills optimistically: job ${fills.trial.slice(0, 12)} earned ${formatNumber(fills.service, 2)} as the service counts, ${formatNumber(fills.worstCase, 2)} by worst-case fills`,
        ]),
    ...(ties.length === 0
      ? []
      : [
          isSettled
            ? 'where a row has two values, no backtest on these candles can decide'
            : 'where a row has two values, more test backtests could decide',
        ]),
    ...(setAside.length === 0 ? [] : [`not compared: ${means} (the service seems to define it differently)`]),
  ]
}
