/** `dcalab verdict`: whether to believe the best of a study, judged on the stored history of its market. Free. */
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import { type Chosen, chooseTrials, serviceOfChoices, withResultChoice } from '../chosen-results.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { type Judged, judgeChoices, USUAL_HORIZON_DAYS } from '../judging.ts'
import { withProgress } from '../long-work.ts'
import { option, whole } from '../option.ts'
import { printAnswer, printJson } from '../output.ts'
import { headingOf, noteService, serviceQuestion } from '../shown-service.ts'
import { fittingTable } from '../table.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface VerdictOptions extends CommonOptions, ResultChoice {
  readonly market?: string
  readonly horizon: number
  readonly stretches?: boolean
  readonly all?: boolean
}

export const verdictCommand: Register = (program, context) => {
  const command = program
    .command('verdict')
    .description('judge the best of a study, or a trial, on stored history')
    .argument('<study or id>', 'name of a study in the store, or the id of a configuration')
    .addOption(
      option('--market <market>', 'the market to judge, where the study has several', { otherwise: 'all of them' }),
    )
    .addOption(
      whole('--horizon <days>', 'days that you will wait', {
        minimum: 1,
        maximum: 3650,
        default: USUAL_HORIZON_DAYS,
      }),
    )
    .option('--stretches', 'list the stretches it is judged on')
    .option('--all', 'show all notes')
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab verdict eth-2025',
    'dcalab verdict 46330614 --stretches --json',
  ]).action((target: string, options: VerdictOptions) => judgeTarget(context, target, options))
}

function judgeTarget(context: Context, target: string, options: VerdictOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withKnownStore(context, path, async (store) => {
    const question = await serviceQuestion(context, store, options)
    const choices = await chooseTrials(store, target, { ...options, question })
    const of = await serviceOfChoices(store, { choices, question })
    const [first, ...rest] = await withProgress(context, (onProgress) =>
      judgeChoices(context, store, { choices, candlesFolder, horizonDays: options.horizon, onProgress }),
    )
    const { terminal } = context.system
    if (first === undefined) return
    if (options.json) {
      noteService(terminal, of)
      const all = [first, ...rest].map((one) => jsonOf(one, options))
      return printJson(terminal, all.length === 1 ? all[0] : all)
    }
    if (options.stretches) {
      return printAnswer(terminal, [...headingOf(of), ...[first, ...rest].flatMap(tableOf)])
    }
    const { describeVerdicts } = await import('../describe-verdict.ts')
    await printAnswer(terminal, [
      ...(of?.isNoted ? headingOf(of) : []),
      ...describeVerdicts([first, ...rest], options.all),
      ...(options.all ? await aboutStudy(choices.at(0)?.asked) : []),
    ])
  })
}

/** What `study check` says of the study itself. */
async function aboutStudy(asked: Chosen['asked'] | undefined): Promise<readonly string[]> {
  if (asked === null || asked === undefined) return []
  const [{ expectJobs }, { storedStudy }, { wrapped }] = await Promise.all([
    import('./study/expected-jobs.ts'),
    import('../../workbench/store/stored-study.ts'),
    import('../last-verdict.ts'),
  ])
  const { warnings } = expectJobs(storedStudy(asked, { file: asked.name })).survey
  return warnings.flatMap(({ message }) => wrapped(`about this study: ${message}`, '  ', '    '))
}

function jsonOf(
  { market, study, revision, service, judgedAt, id, trial, verdict, stretches, rank }: Judged,
  options: VerdictOptions,
) {
  return {
    study,
    revision,
    id,
    trial: trial.fingerprint,
    market,
    service,
    judgedAt,
    rank,
    ...verdict,
    ...(options.stretches ? { stretches } : {}),
  }
}

function tableOf({ market, stretches }: Judged) {
  return [
    market,
    fittingTable(stretches, [
      { title: 'from', value: ({ from }) => from.slice(0, 10) },
      { title: 'to', value: ({ to }) => to.slice(0, 10) },
      { title: 'net profit', value: ({ netProfit }) => netProfit, digits: 2 },
      { title: 'used', value: ({ usedCapital }) => usedCapital, digits: 1 },
      { title: 'hold %', value: ({ holdPercent }) => holdPercent, digits: 1 },
      { title: 'plain profit', value: ({ plainNetProfit }) => plainNetProfit, digits: 2 },
      { title: 'plain used', value: ({ plainUsedCapital }) => plainUsedCapital, digits: 1 },
      { title: 'drawdown %', value: ({ maxDrawdownPercent }) => maxDrawdownPercent, digits: 1 },
    ]),
  ]
}
