/** `dcalab promote`: the winner becomes a demo bot — planned, validated, created once, read back. */

import { Failure } from '../../errors.ts'
import type { Choice } from '../../workbench/bots/promote/choose-trial.ts'
import type { PromotionPlan, PromotionTarget } from '../../workbench/bots/promote/plan.ts'
import { describeLooks } from '../../workbench/store/describe-looks.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import type { Store } from '../../workbench/store/store.ts'
import { warnOfEndedCandles } from '../bot-view.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { askPerson } from '../input.ts'
import { describeLastVerdict, USUAL_HORIZON_DAYS } from '../last-verdict.ts'
import { withProgress } from '../long-work.ts'
import { shellWord } from '../next-command.ts'
import { option } from '../option.ts'
import { type Line, printable, printJson, printLines } from '../output.ts'
import { accountOf, withService } from '../service-link.ts'
import {
  choiceOf,
  headingOf,
  noteService,
  serviceOfTrials,
  serviceQuestion,
  withResultChoice,
} from '../shown-service.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface PromoteOptions extends CommonOptions, ResultChoice {
  readonly market?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly accept?: string
  readonly start?: boolean
}

/** Grades that have to be accepted by name. */
const BARRED: readonly string[] = ['doNotUse', 'notJudged']

export const promoteCommand: Register = (program, context) => {
  const command = program
    .command('promote')
    .description('create a demo bot from a result, once; never a real one')
    .argument('<study or id>', 'a study (its best is taken), or the id of a configuration')
    .addOption(option('--market <exchange/BASE-QUOTE>', 'market of the bot, where the study has several'))
    .option('--dry-run', 'show the plan; nothing is sent')
    .option('--yes', 'ask nothing')
    .addOption(option('--accept <grade>', 'accept the grade doNotUse or notJudged').choices(BARRED))
    .option('--start', 'start the demo bot')
  withExamples(withCandles(withResultChoice(withStore(command))), [
    'dcalab promote btc-may-2021 --dry-run',
    'dcalab promote 46330614 --yes --start',
  ]).action((target: string, options: PromoteOptions) => promoteTarget(context, target, options))
}

async function promoteTarget(context: Context, target: string, options: PromoteOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { terminal } = context.system
  const [{ choosePromoted, planOf }, { payloadOfPlan, promote }] = await Promise.all([
    import('../../workbench/bots/promote/plan.ts'),
    import('../../workbench/bots/promote/promote.ts'),
  ])
  await withKnownStore(context, path, async (store) => {
    const { market } = options
    const choice = choosePromoted(store, { target, market, ...(await whoseResults(context, store, options)) })
    await judgeAnew(context, store, { choice, target, candlesFolder })
    const plan = planOf(store, choice, accountOf(context))
    const of = await serviceOfTrials(store, [{ fingerprint: plan.trial, identity: plan.identity }])
    const body = payloadOfPlan(plan)
    if (options.json) noteService(terminal, of)
    if (options.dryRun && options.json) return printJson(terminal, { ...plan, service: of.name, body })
    if (!options.json) {
      const lines = describePlan(plan, context.system.clock.wall())
      await printLines(terminal, [...headingOf(of), ...lines])
    }
    if (options.dryRun) return context.suggestNext(promotionOf(target, options))
    checkGrade(plan, options.accept)
    if (!options.yes && !(await agrees(context, plan))) throw new Failure('promotionRefused', 'not promoted')
    const promotion = await withService(context, { store, candlesFolder, trade: true }, async ({ client }) => {
      const made = await promote({
        ...{ system: context.system, store, client, plan },
        accepted: options.accept === undefined ? [] : [options.accept],
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

/** Its verdict, where there is none yet or something newer is known. */
async function judgeAnew(
  context: Context,
  store: Store,
  {
    choice,
    target,
    candlesFolder,
  }: { readonly choice: Choice; readonly target: string; readonly candlesFolder: string },
): Promise<void> {
  const [{ judgeChoices }, { findVerdict }, { findStudy }] = await Promise.all([
    import('../judging.ts'),
    import('../../workbench/store/verdicts.ts'),
    import('../../workbench/store/study-records.ts'),
  ])
  if (findVerdict(store, choice)?.isStale === false) return
  const choices = [{ choice, asked: findStudy(store, target) ?? null }]
  await withProgress(context, (onProgress) =>
    judgeChoices(context, store, { choices, candlesFolder, horizonDays: USUAL_HORIZON_DAYS, onProgress }),
  )
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

/** `now`: ms UTC. */
function describePlan(plan: PromotionPlan, now: number): Line[] {
  const tried = describeLooks('one', plan.tried)
  return [
    `id      ${plan.id}`,
    `bot     ${plan.botName} on ${plan.market}, demo`,
    `owner   ${plan.userEmail === '' ? '- (DCALAB_USER_EMAIL names nobody)' : plan.userEmail}`,
    ...Object.entries(plan.config).map(([field, value]) => `  ${field.padEnd(24)} ${value}`),
    ...(tried === '' ? [] : [`tried   ${tried}`]),
    ...describeLastVerdict(plan.verdict ?? undefined, { now, target: plan.id }),
  ]
}

/** @throws Failure promotionRefused where such a grade is not accepted */
function checkGrade({ verdict, id }: PromotionPlan, accepted: string | undefined): void {
  const grade = verdict?.grade ?? 'notJudged'
  if (!BARRED.includes(grade) || accepted === grade) return
  const said = verdict === null ? 'it was not judged' : `${verdict.headline}. ${verdict.sentence}`
  throw new Failure('promotionRefused', `${id} is not promoted. ${said}`, {
    hint: `to create a demo bot anyway, add --accept ${grade}`,
  })
}

async function agrees(context: Context, plan: PromotionPlan): Promise<boolean> {
  const { inIsTerminal, errIsTerminal } = context.system.terminal
  if (!inIsTerminal || !errIsTerminal) {
    throw new Failure('terminalNeeded', `promoting ${plan.id} needs a yes`, { hint: 'give --yes' })
  }
  const question = printable(`${plan.verdict?.headline ?? 'Not judged'}. Create this demo bot? [y/N] `)
  return /^y(es)?$/i.test(await askPerson(context, question))
}
