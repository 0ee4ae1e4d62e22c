/** `dcalab promote`: the winner becomes a demo bot — planned, validated, created once, read back. */

import { marketName } from '../../contract/market.ts'
import { Failure, shellWord } from '../../errors.ts'
import type { ActivityOperations } from '../../workbench/api/calls.ts'
import type { BotReading } from '../../workbench/api/reading/readings.ts'
import type { Choice } from '../../workbench/bots/promote/choose-trial.ts'
import type { PromotionPlan, PromotionTarget } from '../../workbench/bots/promote/plan.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import type { Store } from '../../workbench/store/store.ts'
import { triedInWords } from '../../workbench/store/tried-in-words.ts'
import { isoOrNull, warnOfEndedCandles } from '../bot-view.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { askPerson } from '../input.ts'
import { withProgress } from '../long-work.ts'
import { option } from '../option.ts'
import { countOf, formatNumber, formatTime, type Line, printable, printJson, printLines } from '../output.ts'
import { accountOf, withService } from '../service-link.ts'
import {
  choiceOf,
  describeLastVerdict,
  headingOf,
  noteService,
  serviceOfTrials,
  serviceQuestion,
  USUAL_HORIZON_DAYS,
  withResultChoice,
} from '../shown-service.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface PromoteOptions extends CommonOptions, ResultChoice {
  readonly market?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly accept?: string
  readonly start?: boolean
  readonly replay?: boolean
}

/** Grades that have to be accepted by name, the worst first: who accepts it accepts the other, too. */
const BARRED: readonly string[] = ['doNotUse', 'notJudged']

export const promoteCommand: Register = (program, context) => {
  const command = program
    .command('promote')
    .description('create a demo bot from a result, once; never a real one')
    .argument('<study or id>', 'a study (its best is taken), or the id of a configuration')
    .addOption(option('--market <exchange/BASE-QUOTE>', 'market of the bot, where the study has several'))
    .option('--dry-run', 'show the plan; nothing is sent')
    .option('--yes', 'ask nothing')
    .addOption(option('--accept <grade>', 'accept a bad grade: notJudged, or doNotUse for both').choices(BARRED))
    .option('--start', 'start the demo bot')
    .option('--replay', 'with --start: trade the stored candles at once')
  withExamples(withCandles(withResultChoice(withStore(command))), [
    'dcalab promote btc-may-2021 --dry-run',
    'dcalab promote 46330614 --yes --start --replay',
  ]).action((target: string, options: PromoteOptions) => promoteTarget(context, target, options))
}

async function promoteTarget(context: Context, target: string, options: PromoteOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { terminal } = context.system
  const now = context.system.clock.wall()
  checkReplay(context, options)
  const [{ choosePromoted, planOf }, { payloadOfPlan, promote }, { WORTH_A_BOT }] = await Promise.all([
    import('../../workbench/bots/promote/plan.ts'),
    import('../../workbench/bots/promote/promote.ts'),
    import('../../workbench/store/standing.ts'),
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
      const lines = describePlan(plan, now)
      await printLines(terminal, [...headingOf(of), ...lines])
    }
    const isWorth = plan.verdict !== null && WORTH_A_BOT.includes(plan.verdict.grade)
    if (options.dryRun) return context.suggestNext(isWorth ? promotionOf(target, options) : null)
    checkGrade(plan, options.accept)
    if (!options.yes && !(await agrees(context, plan))) throw new Failure('promotionRefused', 'not promoted')
    const startsAt = options.replay ? await beginningOf(store, choice, { candlesFolder, now }) : undefined
    const link = { store, candlesFolder, trade: true, startsAt }
    const again = `${promotionOf(target, options)} --start --replay`
    const { promotion, traded, isIdle } = await withService(context, link, async ({ client }) => {
      const made = await promote({
        ...{ system: context.system, store, client, plan },
        accepted: options.accept === undefined ? [] : [options.accept],
        start: startsAt === undefined ? (options.start ?? false) : 'again',
      })
      const started =
        made.started && context.settings().baseUrl === undefined ? await client.readBot(made.botId) : undefined
      if (started?.kind !== 'ok') return { promotion: made }
      if (startsAt !== undefined) return { promotion: made, traded: await readReplay(client, started.value, startsAt) }
      const replay = `\`${again}\` lets it trade the stored ones`
      return { promotion: made, isIdle: await warnOfEndedCandles(context, started.value, { candlesFolder, replay }) }
    })
    const bot = shellWord(promotion.botId)
    if (promotion.started && !isIdle) context.suggestNext(`dcalab bots compare ${bot}`)
    else if (isWorth) context.suggestNext(isIdle ? again : `dcalab bots start ${bot}`)
    if (options.json) return printJson(terminal, { ...promotion, ...traded, service: of.name })
    return printLines(terminal, [
      `demo bot ${promotion.botId} ${promotion.reused ? 'existed already and is reused' : 'created and read back'}` +
        (promotion.started ? '; it runs' : ''),
      ...(traded === undefined ? [] : [describeReplay(traded)]),
    ])
  })
}

/** @throws Failure usage */
function checkReplay(context: Context, { start, replay }: PromoteOptions): void {
  if (!replay) return
  if (!start) throw new Failure('usage', '--replay goes with --start')
  if (context.settings().baseUrl === undefined) return
  throw new Failure('usage', '--replay works on the embedded service only, and DCALAB_BASE_URL is set', {
    hint: 'leave out --replay, or unset DCALAB_BASE_URL; nothing was sent',
  })
}

/**
 * Where the replay of a result begins: with its own period, ms UTC.
 * @throws Failure candlesMissing; holdoutRefused where a study holds out days that it would show
 */
async function beginningOf(
  store: Store,
  { trial }: Choice,
  { candlesFolder, now }: { readonly candlesFolder: string; readonly now: number },
): Promise<number> {
  const [{ listCandles }, { findHoldoutOver }] = await Promise.all([
    import('../../candles/folder/folder.ts'),
    import('../../workbench/store/holdouts.ts'),
  ])
  const market = marketName(trial.market)
  const { from } = trial.period
  const isStored = listCandles(candlesFolder).some(
    (each) => each.market === market && each.stretches.some((stretch) => stretch.from <= from && from < stretch.to),
  )
  if (!isStored) throw new Failure('candlesMissing', `no candles of ${market} are stored for ${formatTime(from)}`)
  const closed = findHoldoutOver(store, { market, period: { from, to: now } })
  if (closed === undefined) return from
  throw new Failure('holdoutRefused', `a replay would show the days that ${closed} holds out, before they are tested`, {
    hint: `see \`dcalab holdout ${closed}\`, or leave out --replay; nothing was sent`,
  })
}

interface Replay {
  /** ISO 8601 UTC. */
  readonly replayedFrom: string
  readonly tradedUntil: string | null
  readonly closedDeals: number | null
  readonly netProfit: number | null
  readonly asset: string
}

/** @throws Failure promotionRefused for a bot that has traded since another time */
async function readReplay(
  client: Pick<ActivityOperations, 'readPnl'>,
  { id, startedAt, tradedUntil, market }: BotReading,
  from: number,
): Promise<Replay> {
  if (startedAt !== from) {
    throw new Failure('promotionRefused', `bot ${id} has traded since ${formatTime(startedAt ?? 0)}: no replay`, {
      hint: `it runs on; see \`dcalab bots compare ${shellWord(id)}\``,
    })
  }
  const pnl = await client.readPnl(id)
  const { closedDeals = null, netProfit = null } = pnl.kind === 'ok' ? pnl.value : {}
  const times = { replayedFrom: new Date(from).toISOString(), tradedUntil: isoOrNull(tradedUntil) }
  return { ...times, closedDeals, netProfit, asset: market?.quoteAsset ?? '' }
}

function describeReplay({ replayedFrom, tradedUntil, closedDeals, netProfit, asset }: Replay): string {
  const [from, to] = [replayedFrom, tradedUntil ?? replayedFrom].map((time) => time.slice(0, 10))
  return `it traded the candles of ${from} to ${to}: ${closedDeals === null ? 'closed deals unknown' : `${countOf(closedDeals, 'deal')} closed`}, net profit ${formatNumber(netProfit, 2)} ${asset}`
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
  if (findVerdict(store, { trial: choice.trial, study: choice.standing?.study ?? null })?.isStale === false) return
  const choices = [{ choice, asked: findStudy(store, target) ?? null }]
  await withProgress(context, (onProgress) =>
    judgeChoices(context, store, { choices, candlesFolder, horizonDays: USUAL_HORIZON_DAYS, onProgress }),
  )
}

/** The command that does what was only shown. */
function promotionOf(target: string, { service, market, accept }: PromoteOptions): string {
  const given = Object.entries({ '--market': market, '--service': service, '--accept': accept })
  const words = given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
  return ['dcalab', 'promote', target, ...words].map(shellWord).join(' ')
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
  const tried = triedInWords('one', plan.tried)
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
  if (!BARRED.includes(grade)) return
  if (accepted !== undefined && BARRED.indexOf(accepted) <= BARRED.indexOf(grade)) return
  const said = verdict === null ? 'it was not judged' : `${verdict.headline}. ${verdict.sentence}`
  throw new Failure('promotionRefused', `no bot created from ${id}. ${said}`, {
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
