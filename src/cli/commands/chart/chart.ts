/** `dcalab chart`: one trial drawn in the terminal, its equity day by day, and where it stands among the others of its study. */
import { marketName } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { Importance } from '../../../workbench/analysis/importance.ts'
import type { ResultChoice } from '../../../workbench/store/find-trial.ts'
import type { WholeTrial } from '../../../workbench/store/records.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../../context.ts'
import { option } from '../../option.ts'
import { printAnswer, printJson } from '../../output.ts'
import { choiceOf, TRIAL_WORDS, withResultChoice } from '../../result-choice.ts'
import { headingOf, noteService, serviceOfTrials } from '../../shown-service.ts'
import { pathsOf, withStoreToRead } from '../../workbench.ts'
import { type Chart, describeChart, type HeatOfStudy } from './describe-chart.ts'

export const chartCommand: Register = (program, context) => {
  const command = program
    .command('chart')
    .description('one trial in the terminal: its equity, and the two strongest parameters of its study')
    .argument('<trial>', TRIAL_WORDS)
    .addOption(
      option('--study <name>', 'compare it with the trials of this study', { otherwise: 'the last that has it' }),
    )
  withExamples(withResultChoice(withStore(command)), [
    'dcalab chart 2537d764cd2e',
    'dcalab chart 2537 --study eth-2025 --json',
  ]).action((digits: string, options: CommonOptions & ResultChoice & { readonly study?: string }) =>
    withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const { findResult } = await import('../../../workbench/store/find-trial.ts')
      const trial = findResult(store, digits, choiceOf(options))
      const chart = { trial, heat: await gatherHeat(store, trial, options.study) }
      const { terminal } = context.system
      const of = await serviceOfTrials(store, [trial])
      if (options.json) {
        noteService(terminal, of)
        return printJson(terminal, { service: of.name, ...chartAsJson(chart) })
      }
      const drawn = describeChart(chart, terminal.outIsTerminal ? terminal.columns : 80)
      return printAnswer(terminal, [...headingOf(of), ...drawn])
    }),
  )
}

/** @throws Failure notFound for a study that does not have the trial */
async function gatherHeat(store: Store, trial: WholeTrial, asked: string | undefined): Promise<HeatOfStudy | null> {
  const { findStudiesOf } = await import('../../../workbench/store/studies-of-trial.ts')
  const names = findStudiesOf(store, trial.fingerprint)
  const name = asked === undefined ? names[0] : names.find((each) => each === asked)
  if (name === undefined) {
    if (asked === undefined) return null
    throw new Failure('notFound', `study ${asked} has no trial ${trial.fingerprint.slice(0, 12)}`, {
      hint: names.length === 0 ? 'no study of the store has it' : `it is in ${names.join(', ')}`,
    })
  }
  const [{ findStudy }, { storedStudy }, { listTrials }, { parameterImportance }, { metricValue }, { pairCells }] =
    await Promise.all([
      import('../../../workbench/store/study-records.ts'),
      import('../../../workbench/store/stored-study.ts'),
      import('../../../workbench/store/readers.ts'),
      import('../../../workbench/analysis/importance.ts'),
      import('../../../contract/metric-values.ts'),
      import('./pair-cells.ts'),
    ])
  const record = findStudy(store, name)
  if (record === undefined) return null
  const study = storedStudy(record, { file: `${name}.yaml` })
  const { metric, direction } = study.objective
  const rows = listTrials(store, { study: name, identity: trial.identity }).flatMap(({ market, config, metrics }) => {
    const value =
      metrics === null || marketName(market) !== marketName(trial.market) ? null : metricValue(metrics, metric)
    return value === null ? [] : [{ config, value }]
  })
  const varied = study.axes.map(({ field }) => field)
  const fields = strongestTwo(
    parameterImportance(
      rows.map(({ config, value }) => ({ values: { ...config }, score: value })),
      varied,
    ),
    varied,
  )
  if (fields === undefined) return null
  const [xField, yField] = fields
  const cells = pairCells(
    rows.map(({ config, value }) => ({ x: config[xField], y: config[yField], value })),
    direction,
  )
  return { study, xField, yField, cells }
}

type Field = HeatOfStudy['xField']

/** Of the parameters, or the first two where their importance is not known; undefined where fewer are varied. */
function strongestTwo(
  reading: Importance | { readonly kind: string },
  varied: readonly Field[],
): readonly [Field, Field] | undefined {
  const ranked =
    'parameters' in reading
      ? reading.parameters.flatMap(({ field }) => varied.find((each) => each === field) ?? [])
      : varied
  const [first, second] = ranked
  return first === undefined || second === undefined ? undefined : [first, second]
}

function chartAsJson({ trial, heat }: Chart) {
  return {
    trial: trial.fingerprint,
    dailyEquity: trial.metrics?.dailyEquity ?? [],
    monthlyReturns: trial.metrics?.monthlyReturns ?? [],
    heat: heat && {
      study: heat.study.name,
      metric: heat.study.objective.metric,
      x: heat.xField,
      y: heat.yField,
      cells: heat.cells,
    },
  }
}
