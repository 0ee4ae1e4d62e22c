/** `dcalab study …`: checks a study file, starts a new one, prints the JSON Schema; what is stored of studies is in `stored.ts`. */
import type { Command } from 'commander'
import { marketName } from '../../../contract/market.ts'
import type { Spender } from '../../../workbench/store/services.ts'
import type { Store } from '../../../workbench/store/store.ts'
import {
  type CommonOptions,
  type Context,
  type Register,
  withCandles,
  withExamples,
  withJson,
  withStore,
} from '../../context.ts'
import { readInput } from '../../input.ts'
import { formatTime, printJson, printLines } from '../../output.ts'
import { findSpender } from '../../service-link.ts'
import { pathsOf, withOpenStore } from '../../workbench.ts'
import { addInit } from './init.ts'
import { addStored } from './stored.ts'

export const studyCommand: Register = (program, context) => {
  const study = program
    .command('study')
    .description('study files: check, init, schema; stored studies: list, revisions, rename, archive, rm')
  withExamples(study, ['dcalab study init my-ladder', 'dcalab study check studies/btc-may-2021.yaml'])
  addCheck(study, context)
  addInit(study, context)
  addSchema(study, context)
  addStored(study, context)
}

function addCheck(study: Command, context: Context): void {
  const command = study
    .command('check')
    .description('validates a study file and says what running it would take; touches nothing')
    .argument('<file>', 'study file (YAML or JSON)')
  withExamples(withCandles(withStore(command)), [
    'dcalab study check studies/btc-may-2021.yaml',
    'dcalab study check studies/demo.yaml --json',
  ]).action(async (file: string, options: CommonOptions) => {
    const [
      { parseStudy },
      { planTrials },
      { surveyStudy },
      { estimateRun },
      { findSettingsDoubts },
      { askedSettings },
      { findSettingsFor },
      { findSymbolWarnings },
      { surveyStudyCandles },
      { storeIsThere },
    ] = await Promise.all([
      import('../../../workbench/study/parse.ts'),
      import('../../../workbench/study/trials.ts'),
      import('../../../workbench/analysis/doubts/find-in-study.ts'),
      import('../../../workbench/run/estimate.ts'),
      import('../../../workbench/run/settings-doubts.ts'),
      import('../../../workbench/study/settings.ts'),
      import('./settings-for.ts'),
      import('./symbol-warnings.ts'),
      import('../../local-candles.ts'),
      import('../../../workbench/store/store.ts'),
    ])
    const question = parseStudy(readInput(file), { file })
    const { warnings, tooManyToRun, ...survey } = surveyStudy(question)
    const planned = tooManyToRun ? [] : planTrials(question).trials
    const { store: path, candlesFolder } = pathsOf(context, options)
    // A configured service uses its own candles.
    const candles = context.settings().baseUrl === undefined ? surveyStudyCandles(candlesFolder, question) : undefined
    const now = context.system.clock.wall()
    const asked = { asked: askedSettings(question), trials: planned }
    const about = { question, candlesFolder, candles }
    const ask = (store?: Store, spender?: Spender, settings = findSettingsFor({ ...about, store, spender })) => ({
      estimate: estimateRun(store, planned, now, spender === undefined ? {} : { spender, settings }),
      doubts: tooManyToRun ? [] : findSettingsDoubts(store, { ...asked, identity: spender?.identity, settings }),
    })
    const { estimate, doubts } = storeIsThere(path)
      ? await withOpenStore(context, path, async (store) => ask(store, await findSpender(context, store)))
      : ask()
    const checked = {
      name: question.name,
      fingerprint: question.fingerprint,
      trials: {
        ...survey,
        known: estimate.known,
        toRun: planned.length - estimate.known, // 0 when there are too many trials to run
      },
      allowance: estimate.allowance,
      warnings: [
        ...warnings,
        ...doubts.map(({ code, message, path }) => ({ code, message, path })),
        ...(candles?.warnings ?? []),
        ...findSymbolWarnings(candlesFolder, question, planned),
      ],
    }
    const { terminal } = context.system
    if (options.json) return printJson(terminal, checked)
    const { trials, allowance } = checked
    return printLines(terminal, [
      `${question.name}: ${marketName(question.market)}, ${formatTime(question.period.from)} to ${formatTime(question.period.to)}${candles?.info ? `, ${candles.info.interval} candles` : ''}`,
      `grid ${trials.grid}, infeasible ${trials.infeasible}, duplicates ${trials.duplicates}, distinct ${trials.distinct}, known ${trials.known}, to run ${trials.toRun}`,
      `allowance ${allowance.available} of ${allowance.limit} free in ${allowance.windowHours} h; ` +
        (trials.toRun === 0
          ? tooManyToRun
            ? 'to be screened on local candles: dcalab screen spends nothing'
            : 'nothing to submit'
          : `${allowance.windowsNeeded} window${allowance.windowsNeeded === 1 ? '' : 's'} needed, ${candles?.info === null ? 'once the candles are there' : `all submitted by ${allowance.finishAt}`}`),
      ...checked.warnings.map((warning) => `warning ${warning.code}: ${warning.message} (${warning.path})`),
    ])
  })
}

function addSchema(study: Command, context: Context): void {
  const command = study.command('schema').description('the JSON Schema of study files, for editors')
  withExamples(withJson(command), [
    'dcalab study schema > studies/study.schema.json',
    'dcalab study schema --json',
  ]).action(async () => {
    const { studyJsonSchema } = await import('../../../workbench/study/schema.ts')
    return printJson(context.system.terminal, studyJsonSchema())
  })
}
