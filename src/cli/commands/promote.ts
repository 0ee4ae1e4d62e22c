/** `dcalab promote`: the winner becomes a demo bot — planned, validated, created once, read back. */
import type { DemoBotPayload } from '../../contract/bot.ts'
import { Failure } from '../../errors.ts'
import type { PromotionPlan, PromotionTarget } from '../../workbench/bots/promote/plan.ts'
import { describeLooks } from '../../workbench/store/describe-looks.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import type { Store } from '../../workbench/store/store.ts'
import { askPerson } from '../ask-person.ts'
import { warnOfEndedCandles } from '../bot-outlook.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { doubtLine } from '../doubt-line.ts'
import { ageOf } from '../last-verdict.ts'
import { shellWord } from '../next-command.ts'
import { option } from '../option.ts'
import { type Line, printable, printJson, printLines } from '../output.ts'
import { type TimeWords, timesShown } from '../reader-time.ts'
import { choiceOf, withResultChoice } from '../result-choice.ts'
import { accountOf, withService } from '../service-link.ts'
import { headingOf, noteService, serviceOfTrials, serviceQuestion } from '../shown-service.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface PromoteOptions extends CommonOptions, ResultChoice {
  readonly market?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly accept?: readonly string[]
  readonly start?: boolean
}

export const promoteCommand: Register = (program, context) => {
  const command = program
    .command('promote')
    .description('create a demo bot from a result, once; never a real one')
    .argument(
      '<study or trial>',
      'a study (its best trial is taken) or a trial: fingerprint, or a prefix of 4 or more digits',
    )
    .addOption(
      option('--market <exchange/BASE-QUOTE>', 'of a study with several markets, the one that the bot trades on'),
    )
    .option('--dry-run', 'show the plan; nothing is sent')
    .option('--yes', 'accept the doubts shown, ask nothing; not those of weight block')
    .option('--accept <code>', 'accept a doubt of weight block, by its code; once for each', oneMore)
    .option('--start', 'start the demo bot once it was read back')
  withExamples(withCandles(withResultChoice(withStore(command))), [
    'dcalab promote btc-may-2021 --dry-run',
    'dcalab promote 3fa94c01b2d7 --yes --start',
  ]).action((target: string, options: PromoteOptions) => promoteTarget(context, target, options))
}

async function promoteTarget(context: Context, target: string, options: PromoteOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { terminal } = context.system
  const [{ planPromotion }, { payloadOfPlan, promote }] = await Promise.all([
    import('../../workbench/bots/promote/plan.ts'),
    import('../../workbench/bots/promote/promote.ts'),
  ])
  await withKnownStore(context, path, async (store) => {
    const { market } = options
    const now = context.system.clock.wall()
    const plan = planPromotion(store, {
      ...{ target, userEmail: accountOf(context), market },
      ...(await whoseResults(context, store, options)),
    })
    const of = await serviceOfTrials(store, [{ fingerprint: plan.trial, identity: plan.identity }])
    const body = payloadOfPlan(plan)
    if (options.json) noteService(terminal, of)
    if (options.dryRun && options.json) return printJson(terminal, { ...plan, service: of.name, body })
    if (!options.json) {
      const lines = describePlan(plan, body, { now, when: timesShown(terminal) })
      await printLines(terminal, [...headingOf(of), ...lines])
    }
    if (options.dryRun) return context.suggestNext(promotionOf(target, options))
    await checkBlocks(plan, options.accept ?? [])
    if (!options.yes && !(await agrees(context, plan))) throw new Failure('promotionRefused', 'not promoted')
    const promotion = await withService(context, { store, candlesFolder, trade: true }, async ({ client }) => {
      const made = await promote({
        ...{ system: context.system, store, client, plan },
        accepted: options.accept ?? [],
        start: options.start ?? false,
      })
      const started =
        made.started && context.settings().baseUrl === undefined ? await client.readBot(made.botId) : undefined
      if (started?.kind === 'ok') await warnOfEndedCandles(context, started.value, candlesFolder)
      return made
    })
    const bot = shellWord(promotion.botId)
    context.suggestNext(promotion.started ? `dcalab bots compare ${bot}` : `dcalab bots start ${bot}`)
    if (options.json) return printJson(terminal, { ...promotion, service: of.name })
    return printLines(terminal, [
      `demo bot ${promotion.botId} ${promotion.reused ? 'existed already and is reused' : 'created and read back'}` +
        (promotion.started ? '; it runs' : ''),
    ])
  })
}

/** The command that does what was only shown. */
function promotionOf(target: string, { service }: PromoteOptions): string {
  return `dcalab promote ${shellWord(target)}${service === undefined ? '' : ` --service ${shellWord(service)}`}`
}

/** Of the configured service, on which the bot is made, unless another is asked for. */
async function whoseResults(
  context: Context,
  store: Store,
  options: PromoteOptions,
): Promise<Pick<PromotionTarget, 'choice' | 'service'>> {
  const { service: asked } = options
  const { configured } = await serviceQuestion(context, store, options)
  return {
    service: { asked, configured, configuredOnly: true },
    choice: { ...choiceOf(options), ...(asked === undefined ? { identity: configured ?? null } : {}) },
  }
}

/** `now`: ms UTC; `when`: how times are told. */
function describePlan(
  plan: PromotionPlan,
  body: DemoBotPayload,
  { now, when }: { readonly now: number; readonly when: TimeWords },
): Line[] {
  const looks = describeLooks('one', plan.looks)
  return [
    `trial   ${plan.trial}`,
    `bot     ${plan.botName} on ${plan.market}, demo`,
    `owner   ${plan.userEmail === '' ? '- (DCALAB_USER_EMAIL names nobody)' : plan.userEmail}`,
    ...Object.entries(plan.config).map(([field, value]) => `  ${field.padEnd(24)} ${value}`),
    `body    ${JSON.stringify(body)}`,
    ...(looks === '' ? [] : [`looks   ${looks}`]),
    plan.examination === null
      ? `sure?   not examined yet: dcalab examine ${plan.study ?? plan.trial.slice(0, 12)}`
      : `sure?   examined ${ageOf(now - Date.parse(plan.examination.examinedAt))} (${when(plan.examination.examinedAt)}) on ${plan.examination.interval} candles ${plan.examination.candlesHash.slice(0, 12)}`,
    ...plan.doubts.map((doubt) => doubtLine(doubt, 7)),
  ]
}

function oneMore(code: string, before: readonly string[] = []): readonly string[] {
  return [...before, code]
}

/** @throws Failure usage for what is no doubt, promotionRefused where a doubt of weight block is not accepted by its code */
async function checkBlocks({ doubts, trial }: PromotionPlan, accepted: readonly string[]): Promise<void> {
  const { isDoubtCode } = await import('../../workbench/analysis/doubts/doubts.ts')
  const unknown = accepted.find((code) => !isDoubtCode(code))
  if (unknown !== undefined) {
    throw new Failure('usage', `--accept expects the code of a doubt, found "${unknown}"`, {
      hint: '`--dry-run` shows the doubts with their codes',
    })
  }
  const open = doubts.filter(({ weight, code }) => weight === 'block' && !accepted.includes(code))
  if (open.length === 0) return
  const found = open.map(({ code, message }) => `${code}: ${message}`).join('; ')
  throw new Failure('promotionRefused', `trial ${trial.slice(0, 12)} is not promoted: ${found}`, {
    hint: `to accept that, give ${open.map(({ code }) => `--accept ${code}`).join(' ')}`,
  })
}

async function agrees(context: Context, plan: PromotionPlan): Promise<boolean> {
  const { inIsTerminal, errIsTerminal } = context.system.terminal
  if (!inIsTerminal || !errIsTerminal) {
    throw new Failure('terminalNeeded', `promoting ${plan.trial.slice(0, 12)} needs a yes`, { hint: 'give --yes' })
  }
  const question = printable(`create this demo bot${plan.doubts.length > 0 ? ' despite the doubts' : ''}? [y/N] `)
  return /^y(es)?$/i.test(await askPerson(context, question))
}
