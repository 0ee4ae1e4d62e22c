/** `dcalab study calibrate`: finds out by a few jobs by which conventions and costs a service computes that does not tell. */
import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import type { Searching } from '../../../workbench/run/options.ts'
import type { RunSummary } from '../../../workbench/run/run.ts'
import type { MarketOnCandles } from '../../../workbench/screen/screen-markets.ts'
import type { Explanation } from '../../../workbench/search/detective/explain.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { type CommonOptions, type Context, withCandles, withExamples, withStore } from '../../context.ts'
import { readInput } from '../../input.ts'
import { countOf, printJson, printLines, say } from '../../output.ts'
import { runStudyFile } from '../../run-study-file.ts'
import { pathsOf } from '../../workbench.ts'
import { exitCodeOf, STOP_EXIT_CODES } from '../run.ts'
import { describeExplanation, shownExplanation } from './describe-explanation.ts'

interface CalibrateOptions extends CommonOptions {
  readonly write?: boolean
  readonly wait?: boolean
}

export function addCalibrate(study: Command, context: Context): void {
  const command = study
    .command('calibrate')
    .description('finds out by at most 6 jobs by which conventions and costs a service computes that does not tell')
    .argument('<file>', 'study file (YAML or JSON); its first market and its period are probed')
    .option('--write', 'put what was found under conventions and costs of the file; nothing else in it changes')
    .option('--wait', 'sleep until the allowance reopens')
  withExamples(withCandles(withStore(command)), [
    'dcalab study calibrate studies/my-ladder.yaml',
    'dcalab study calibrate studies/my-ladder.yaml --write --json',
  ]).action((file: string, options: CalibrateOptions) => calibrateFile(context, file, options))
}

async function calibrateFile(context: Context, file: string, options: CalibrateOptions): Promise<void> {
  if (context.settings().baseUrl === undefined)
    throw nothingToFind('the embedded service, and DCALAB_BASE_URL is not set')
  const text = options.write ? readInput(file) : ''
  const { summary, explanation, probes } = await askService(context, file, options)
  if (summary.stoppedBy !== null) {
    say(
      context.system.terminal,
      `stopped by ${summary.stoppedBy} after ${countOf(probes, 'probe')}: the same command goes on`,
    )
    return context.endWith(exitCodeOf(summary, context))
  }
  if (explanation === null) {
    throw new Failure('serviceUnreadable', `${countOf(probes, 'probe')} of ${file} told nothing that can be compared`, {
      hint: 'see `dcalab jobs list` for what became of them, and `dcalab doctor` for what is understood of this service',
    })
  }
  const isWritten = options.write === true && !explanation.isPoor
  if (isWritten) await writeFound(file, text, explanation)
  if (explanation.isPoor) context.endWith(STOP_EXIT_CODES.agreement)
  const { terminal } = context.system
  if (options.json) return printJson(terminal, { ...shownExplanation(explanation), written: isWritten })
  const notWritten = options.write ? 'a poor match is not written into the file' : undefined
  const next = isWritten
    ? `written into ${file}; next: dcalab study check ${file}`
    : explanation.isPoor
      ? notWritten
      : `next: dcalab study calibrate ${file} --write puts this into the file; these jobs are not paid for again`
  return printLines(terminal, [...describeExplanation(explanation), ...(next === undefined ? [] : [next])])
}

interface Asked {
  readonly summary: RunSummary
  /** null where the run ended before, or no probe told anything. */
  readonly explanation: Explanation | null
  /** So many have ended. */
  readonly probes: number
}

/** @throws Failure usage on a service of ours, before anything is paid */
async function askService(context: Context, file: string, options: CalibrateOptions): Promise<Asked> {
  const [{ createCalibrationSearch }, { keepExplanation, openDetective }, { loadMarket }] = await Promise.all([
    import('../../../workbench/search/calibration-search.ts'),
    import('../../calibrating.ts'),
    import('../../screened-markets.ts'),
  ])
  const { candlesFolder } = pathsOf(context, options)
  let explanation: Explanation | null = null
  let isOwn = false
  const searchFor = (study: Study): Searching => ({
    period: study.period,
    roles: ['probe'],
    start: (ground) => {
      let loaded: MarketOnCandles | undefined
      const onCandles = () => {
        loaded ??= loadMarket(candlesFolder, study, study.markets[0])
        return loaded
      }
      const search = createCalibrationSearch({
        market: study.markets[0],
        openDetective: () => openDetective(context, study, onCandles()),
        onConcluded: async (found) => {
          explanation = found
          if (found !== null) await keepExplanation(ground, onCandles(), found)
        },
      })
      isOwn = ground.isOwn
      return isOwn ? { ...search, propose: async () => ({ kind: 'end', stoppedBy: null }) } : search
    },
  })
  const summary = await runStudyFile(context, { file, options, searchFor })
  if (isOwn) throw nothingToFind('a service of ours')
  return { summary, explanation, probes: summary.trials.done + summary.trials.failed }
}

function nothingToFind(service: string): Failure {
  return new Failure('usage', `there is nothing to find out about ${service}: it computes under what a study asks`, {
    hint: 'calibrate a service that does not tell its conventions: set DCALAB_BASE_URL and its keys',
  })
}

/** What is under other keys stays, to the last space. */
async function writeFound(file: string, text: string, { best }: Explanation): Promise<void> {
  const [{ replaceMappings }, { spellConventions }] = await Promise.all([
    import('../../../workbench/study/replace-values.ts'),
    import('../../../workbench/study/spell-conventions.ts'),
  ])
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
      hint: 'what was found is kept in the store; the same command writes it and pays for nothing again',
    })
  }
}
