/** `dcalab demo`: runs everything from candles to demo bot on a fresh machine, in under a minute, on an account of its own. */

import { fileURLToPath } from 'node:url'
import { marketName } from '../../contract/market.ts'
import { Failure, shellWord } from '../../errors.ts'
import type { Study } from '../../workbench/study/study.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { readInput } from '../input.ts'
import { countOf, formatNumber, printJson, printLines, say } from '../output.ts'
import { runStudyFile } from '../run-study-file.ts'
import { accountOf, withService } from '../service-link.ts'
import { serviceQuestion } from '../shown-service.ts'
import { pathsOf, withOpenStore } from '../workbench.ts'
import { REPORTS_FOLDER } from './report.ts'
import { exitCodeOf, stopInWords } from './run.ts'

interface DemoOptions extends CommonOptions {
  readonly reset?: boolean
}

/** The demo's account, so that it uses nothing of the researcher's allowance. */
const DEMO_ACCOUNT = 'demo@localhost'
const demoSeed = 20_240_301
const dayMs = 86_400_000

export const demoCommand: Register = (program, context) => {
  const command = program
    .command('demo')
    .description('try everything once: candles, study, report, demo bot')
    .option('--reset', 'start again on a new demo account')
  withExamples(withCandles(withStore(command)), ['dcalab demo', 'dcalab demo --reset']).action((options: DemoOptions) =>
    runDemo(context, options),
  )
}

async function runDemo(context: Context, options: DemoOptions): Promise<void> {
  if (context.settings().baseUrl !== undefined) {
    throw new Failure('usage', 'the demo runs on the embedded service only, and DCALAB_BASE_URL is set', {
      hint: 'unset DCALAB_BASE_URL for the demo; nothing was sent',
    })
  }
  const { terminal } = context.system
  const { parseStudy } = await import('../../workbench/study/parse.ts')
  const file = fileURLToPath(new URL('demo.yaml', context.studiesFolder))
  const study = parseStudy(readInput(file), { file })
  const paths = pathsOf(context, options)
  say(terminal, `1 of 4  candles: a synthetic market, ${marketName(study.markets[0])}`)
  await makeCandles(paths.candlesFolder, study)
  const account = options.reset ? freshAccount(context) : DEMO_ACCOUNT
  say(terminal, `2 of 4  study: ${study.name} on the embedded service, over HTTP, as ${account}`)
  const summary = await runStudyFile(context, { file, options: { ...options, rerun: options.reset ?? false }, account })
  if (summary.stoppedBy !== null) {
    context.endWith(exitCodeOf(summary, context))
    const run = { ...summary, best: summary.best?.trial ?? null }
    if (options.json) await printJson(terminal, { run, verdict: null, report: null, promotion: null })
    const next = options.reset ? 'dcalab demo --reset begins on another new account' : 'run the same command again'
    return say(terminal, `stopped by: ${stopInWords(summary.stoppedBy)}; ${next}`)
  }
  const { judgeStudy } = await import('../judging.ts')
  const judged = await judgeStudy(context, study.name, paths)
  say(terminal, '3 of 4  report')
  const [{ writeReport }, { planPromotion }, { promote }] = await Promise.all([
    import('../../workbench/report/write.ts'),
    import('../../workbench/bots/promote/plan.ts'),
    import('../../workbench/bots/promote/promote.ts'),
  ])
  const { report, promotion } = await withOpenStore(context, paths.store, async (store) => {
    const service = await serviceQuestion(context, store, {})
    const written = await writeReport({
      service,
      candles: 'auto',
      format: 'html',
      findKnown: () => undefined, // its results state it
      system: context.system,
      store,
      studies: [study.name],
      candlesFolder: paths.candlesFolder,
      reportsFolder: REPORTS_FOLDER,
    })
    say(terminal, '4 of 4  promotion of the best trial to a demo bot')
    const plan = planPromotion(store, { target: study.name, userEmail: accountOf(context, account), service })
    const made = await withService(
      context,
      { store, candlesFolder: paths.candlesFolder, account, trade: true },
      ({ client }) => promote({ system: context.system, store, client, plan }),
    )
    return { report: written, promotion: made }
  })
  if (options.json)
    return printJson(terminal, {
      run: { ...summary, best: summary.best?.trial ?? null },
      verdict: judged?.json ?? null,
      report,
      promotion,
    })
  const { best, trials } = summary
  context.suggestNext('dcalab study init my-study')
  const at = options.store === undefined ? '' : ` --store ${shellWord(options.store)}`
  return printLines(terminal, [
    `${trials.done} trials, ${trials.reused} of them reused; ${countOf(summary.requests, 'request')}`,
    ...(best === null
      ? []
      : [`best: ${best.id}, net profit ${formatNumber(best.metrics.netProfit, 2)} on ${best.config.investment}`]),
    ...(judged?.lines ?? []),
    `demo bot: ${promotion.botId}${promotion.reused ? ' (made earlier)' : ''}`,
    '',
    `open  ${report.path}`,
    `try   dcalab sql "select fingerprint, net_profit, max_drawdown_percent, closed_deals from answers limit 10"${at}`,
    `try   dcalab leaderboard ${study.name} --top 5${at}`,
    `try   dcalab bots list --user ${account}${at}`,
  ])
}

/** Before the study's period, as hourly candles: a verdict needs them. */
const historyDays = 400

/** The demo's candles follow from a seed: each demo makes the same ones, and storing them again changes nothing. */
async function makeCandles(folder: string, study: Study): Promise<void> {
  const [{ generateMarket, keepRecipe }, { storeCandles }] = await Promise.all([
    import('../../candles/synthetic/generate.ts'),
    import('../../candles/folder/folder.ts'),
  ])
  const interval = study.interval ?? '1m'
  const { from, to } = study.period
  const recipe = { seed: demoSeed, interval, from, days: Math.ceil((to - from) / dayMs) }
  const market = marketName(study.markets[0])
  const made = generateMarket(recipe)
  storeCandles(folder, { market, interval, candles: made.candles, synthetic: true, conflict: 'refuse' })
  keepRecipe(folder, market, recipe, made)
  const { candles } = generateMarket({
    seed: demoSeed,
    interval: '1h',
    from: from - historyDays * dayMs,
    days: historyDays,
  })
  const scale = made.candles.open[0] / (candles.close.at(-1) ?? 1) // it ends where the study begins
  const scaled = (prices: Float64Array) => prices.map((price) => price * scale)
  const { open, high, low, close } = candles
  const history = { ...candles, open: scaled(open), high: scaled(high), low: scaled(low), close: scaled(close) }
  storeCandles(folder, { market, interval: '1h', candles: history, synthetic: true, conflict: 'refuse' })
}

function freshAccount(context: Context): string {
  const digits = Buffer.from(context.system.randomBytes(3)).toString('hex')
  return `demo-${digits}@localhost`
}
