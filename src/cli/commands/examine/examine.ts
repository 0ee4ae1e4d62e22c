/** `dcalab examine`: how sure one can be of a result, by computing it again a little differently on the local candles. Free. */
import type { CheckName } from '../../../workbench/analysis/certainty/checks.ts'
import type { Evaluation } from '../../../workbench/evidence/examine/evaluation.ts'
import type { ResultChoice } from '../../../workbench/store/find-trial.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type Chosen, chooseTrials, serviceOfChoices, withResultChoice } from '../../chosen-results.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { type Judged, judgeChoices, USUAL_HORIZON_DAYS } from '../../judging.ts'
import { withProgress } from '../../long-work.ts'
import { option } from '../../option.ts'
import { printAnswer, printJson } from '../../output.ts'
import { timesShown } from '../../reader-time.ts'
import { headingOf, noteService, serviceQuestion } from '../../shown-service.ts'
import { pathsOf, withKnownStore } from '../../workbench.ts'
import { describeExamination } from './describe-examination.ts'
import type { ShownExamination } from './shown-examination.ts'

interface ExamineOptions extends CommonOptions, ResultChoice {
  readonly all?: boolean
  readonly market?: string
}

export const examineCommand: Register = (program, context) => {
  const command = program
    .command('examine')
    .description('check and judge the best of a study on local candles')
    .argument('<study or id>', 'name of a study in the store, or the id of a configuration')
    .addOption(option('--market <market>', 'one market of a study with several', { otherwise: 'all of them' }))
    .option('--all', 'list every check with its numbers')
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab examine eth-2025',
    'dcalab examine 46330614 --json',
  ]).action((target: string, options: ExamineOptions) => examineTarget(context, target, options))
}

function examineTarget(context: Context, target: string, options: ExamineOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withKnownStore(context, path, async (store) => {
    const question = await serviceQuestion(context, store, options)
    const choices = await chooseTrials(store, target, { ...options, question })
    const of = await serviceOfChoices(store, { choices, question })
    const [shown, judged] = await withProgress(context, async (onProgress) => {
      const all: ShownExamination[] = []
      const evaluated = new Map<Chosen, Evaluation>()
      for (const chosen of choices) {
        const { evaluation, examination } = await examineOne(context, store, { chosen, candlesFolder, onProgress })
        all.push(examination)
        evaluated.set(chosen, evaluation)
      }
      const work = { candlesFolder, horizonDays: USUAL_HORIZON_DAYS, onProgress, evaluated }
      return [all, await judgeChoices(context, store, { choices, ...work })] as const
    })
    const { terminal } = context.system
    if (options.json) {
      noteService(terminal, of)
      const named = shown.map((one, at) => ({
        service: of?.name ?? null,
        ...jsonOf(one),
        verdict: shortVerdict(judged[at]),
      }))
      return printJson(terminal, named.length === 1 ? named[0] : named)
    }
    const [first, ...rest] = judged
    if (!options.all && first !== undefined) {
      const { describeVerdicts } = await import('../../describe-verdict.ts')
      const about = of?.isNoted ? headingOf(of) : []
      return printAnswer(terminal, [
        ...about,
        ...describeVerdicts([first, ...rest]),
        '',
        `${UNDER}--all lists every check`,
      ])
    }
    const when = timesShown(terminal)
    const { describeVerdicts } = await import('../../describe-verdict.ts')
    await printAnswer(terminal, [
      ...headingOf(of),
      ...(first === undefined ? [] : [...describeVerdicts([first, ...rest], true), '']),
      ...shown.flatMap((one, at) => [...(at === 0 ? [] : ['']), ...describeExamination(one, when)]),
    ])
  })
}

const UNDER = '  '

function shortVerdict(judged: Judged | undefined) {
  if (judged === undefined) return null
  const { grade, headline, sentence } = judged.verdict
  return { grade, headline, sentence }
}

interface Work {
  readonly chosen: Chosen
  readonly candlesFolder: string
  readonly onProgress: (text: string) => void
}

async function examineOne(
  context: Context,
  store: Store,
  { chosen: { choice, asked }, candlesFolder, onProgress }: Work,
): Promise<{ readonly evaluation: Evaluation; readonly examination: ShownExamination }> {
  const [
    { makeEvaluation },
    { examineResult },
    { findStudy },
    { storedStudy },
    { findKnownTerms },
    { shownExamination },
  ] = await Promise.all([
    import('../../../workbench/evidence/examine/make-evaluation.ts'),
    import('../../../workbench/evidence/examine/examine-result.ts'),
    import('../../../workbench/store/study-records.ts'),
    import('../../../workbench/store/stored-study.ts'),
    import('../../known-terms.ts'),
    import('./shown-examination.ts'),
  ])
  const { trial, standing } = choice
  const record = asked ?? (standing === null ? undefined : findStudy(store, standing.study))
  const study = record === undefined ? null : storedStudy(record, { file: `${record.name} (as stored)` })
  const found = findKnownTerms(store, trial.identity)
  const evaluation = makeEvaluation({
    store,
    trial,
    study,
    compared: asked !== null,
    known: found === undefined ? undefined : { ...found.terms, isPoor: found.isPoorMatch },
    candlesFolder,
    pace: { clock: context.system.clock, signal: context.signal, onProgress },
  })
  return { evaluation, examination: shownExamination(evaluation, await examineResult(store, evaluation)) }
}

/** What is refused is null with its reason beside it. */
function jsonOf({ checks, reasons, ...rest }: ShownExamination) {
  const withReasons = Object.entries(checks).flatMap(([name, check]): (readonly [string, unknown])[] => {
    const reason = reasons[name as CheckName] // keys of Checks
    return reason === undefined
      ? [[name, check]]
      : [
          [name, check],
          [`${name}Reason`, reason],
        ]
  })
  return { ...rest, checks: Object.fromEntries(withReasons) }
}
