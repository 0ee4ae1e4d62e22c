/** `dcalab study refine`: a new study file around the best configuration of a stored study. It reads the store and spends nothing. */
import { existsSync, writeFileSync } from 'node:fs'
import type { Costs } from '../../../engine/conventions.ts'
import { Failure, shellWord } from '../../../errors.ts'
import { meetService } from '../../../workbench/bots/promote/make-bot.ts'
import type { ServiceQuestion } from '../../../workbench/store/choose-service.ts'
import type { StudyRecord, TrialRecord } from '../../../workbench/store/records.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { rankStored } from '../../../workbench/store/stored-ranking.ts'
import { storedStudy } from '../../../workbench/store/studies.ts'
import { countStudies } from '../../../workbench/store/study-counts.ts'
import { findStudy, unknownStudy } from '../../../workbench/store/study-records.ts'
import { configFingerprint, shortIds } from '../../../workbench/study/fingerprint.ts'
import { planTrials } from '../../../workbench/study/parse.ts'
import { type RefinedAxis, refineStudy } from '../../../workbench/study/refine.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { withNamedBot } from '../../bot-view.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { metricColumns } from '../../metrics-table.ts'
import { countOf, formatNumber, goesToStdout, printJson, printLines, say, writeToStdout } from '../../output.ts'
import {
  headingOf,
  noteService,
  type ServiceOptions,
  type ShownService,
  serviceQuestion,
  shownService,
} from '../../shown-service.ts'
import { pathsOf, withKnownStore } from '../../workbench.ts'
import { findDrift } from '../bots/compare.ts'

export interface RefineOptions extends CommonOptions, ServiceOptions {
  readonly out?: string
  readonly force?: boolean
  readonly costsOf?: string
  readonly fitBudget?: boolean
}

async function refine(
  context: Context,
  text: string,
  options: RefineOptions,
  { store, shown: bot }: { readonly store: Store; readonly shown: BotCosts | undefined },
): Promise<void> {
  const question = await serviceQuestion(context, store, options)
  const { record, study: source, best, shown } = await findWinner(store, text, question)
  const name = await freeName(store, record.name)
  const path = options.out ?? `studies/${name}.yaml`
  const isPiped = goesToStdout(options)
  if (!isPiped && !options.force && existsSync(path))
    throw cannotWrite(path, 'it exists already', 'name another file, or add --force')
  const origin = [
    `Refined from ${record.name}@${record.revision} around its best, ${idOf(best)};`,
    'the comments below were written for that study.',
  ]
  const costs = bot === undefined ? undefined : { ...source.costs, ...bot.costs }
  const {
    text: written,
    study: refined,
    axes,
  } = refineStudy(source, {
    ...{ winner: best.config, name, origin },
    ...(costs === undefined ? {} : { costs }),
    fitsBudget: options.fitBudget === true,
  })
  const plan = axes.some(({ isContinuous }) => isContinuous)
    ? null
    : planTrials(refined, { limit: Number.POSITIVE_INFINITY })
  const { terminal } = context.system
  if (isPiped) await writeToStdout(terminal, written)
  else writeStudy(path, written)
  const from = {
    ...{ study: record.name, revision: record.revision, trial: best.fingerprint },
    service: shown?.name ?? null,
  }
  if (options.json) {
    noteService(terminal, shown)
    const points = plan === null ? null : { grid: plan.grid, distinct: plan.configs }
    const baseOrder = refined.base.dcaInitialOrderSize ?? null
    return printJson(terminal, {
      ...{ path, study: name, from, points, axes: axes.map(shownAxis) },
      ...{ costs: refined.costs, baseOrder },
    })
  }
  const counted =
    plan === null
      ? 'a continuous space'
      : `${countOf(plan.grid, 'point')}, ${plan.configs} of them distinct and within limits,`
  const words = [
    ...headingOf(shown),
    `${name}: ${counted} around ${describeWinner(source, best)}, the best of ${record.name}@${record.revision}`,
    ...axes.map(describeAxis),
    ...(bot === undefined ? [] : [describeCosts(bot, refined)]),
    ...(options.fitBudget ? [describeBaseOrder(source, refined)] : []),
  ]
  if (isPiped) for (const text of words) say(terminal, text)
  else {
    context.suggestNext(`dcalab study check ${shellWord(path)}`)
    await printLines(terminal, words)
  }
}

/** What a bot's fills cost: what they do not show is left out. */
interface BotCosts {
  readonly named: string
  readonly costs: Partial<Costs>
  /** ms UTC. */
  readonly until: number
}

/** @throws Failure notFound where the fills show neither fee nor slippage */
async function costsOfBot(context: Context, options: RefineOptions, named: string): Promise<BotCosts> {
  const { candlesFolder } = pathsOf(context, options)
  const { shown, span } = await withNamedBot(context, options, named, async (id, { client }, store) => {
    const { identity } = await meetService(store, client)
    return findDrift(context, { client, store }, { id, identity, candlesFolder, given: {} })
  })
  const { feePercent, slippagePercent } = shown
  if (feePercent === null && slippagePercent === null) {
    throw new Failure('notFound', `${named} showed neither fee nor slippage: its service states no fills`, {
      hint: `see what is known of it: dcalab bots compare ${named}`,
    })
  }
  const costs = {
    ...(feePercent === null ? {} : { feePercent }),
    ...(slippagePercent === null ? {} : { slippagePercent }),
  }
  return { named, costs, until: span.to }
}

function describeCosts({ named, costs, until }: BotCosts, { costs: { feePercent, slippagePercent } }: Study): string {
  const kept = (shown: number | undefined) => (shown === undefined ? ' (not shown, as before)' : '')
  const day = new Date(until).toISOString().slice(0, 10)
  return `costs of ${named} until ${day}: fee ${feePercent} %${kept(costs.feePercent)}, slippage ${slippagePercent} %${kept(costs.slippagePercent)}`
}

function describeBaseOrder(before: Study, { base }: Study): string {
  const {
    dcaInitialOrderSize: size,
    investment = Number.POSITIVE_INFINITY,
    dcaTotalBudget = Number.POSITIVE_INFINITY,
  } = base
  const capital = Math.min(investment, dcaTotalBudget)
  const whole = Number.isFinite(capital) ? `${capital}` : 'its capital'
  return `base order ${before.base.dcaInitialOrderSize ?? 'varied'} → ${size}: the dearest ladder costs ${whole}, fees included`
}

/** @throws Failure notFound for a study that the store does not have, or of which nothing is ranked */
async function findWinner(
  store: Store,
  text: string,
  question: ServiceQuestion,
): Promise<{ record: StudyRecord; study: Study; best: TrialRecord; shown: ShownService | null }> {
  const record = findStudy(store, text)
  if (record === undefined) throw unknownStudy(store, text)
  const study = storedStudy(record)
  const [count] = countStudies(store, { study: text, ...question })
  const on = count.service === null ? {} : { identity: count.service.identity }
  const { top, outside, noValue } = rankStored(store, { study: text, objective: study.objective, top: 1, ...on })
  const best = top.at(0)?.trials.at(0) // its trials differ in the market alone
  const shown = shownService(count, question)
  if (best !== undefined) return { record, study, best, shown }
  throw new Failure(
    'notFound',
    `${text} has no best trial to refine around: ${outside} excluded by limits, ${noValue} without a result`,
    {
      problems: (shown?.parts ?? []).map((message) => ({ place: text, message })),
      hint: outside > 0 ? 'widen objective.where in its file and run it' : `run it first: dcalab run ${text}`,
    },
  )
}

const MOST_LETTERS = 64

/** `<study>-refined`, then `-refined-2` and so on: one that the store does not know. */
async function freeName(store: Store, study: string): Promise<string> {
  const [, root = study] = /^(.+?)-refined(?:-\d+)?$/.exec(study) ?? []
  for (let n = 1; ; n++) {
    const ending = n === 1 ? '-refined' : `-refined-${n}`
    const name = `${root.slice(0, MOST_LETTERS - ending.length)}${ending}`
    if (findStudy(store, name) === undefined) return name
  }
}

function writeStudy(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (cause) {
    throw cannotWrite(
      path,
      cause instanceof Error ? cause.message : String(cause),
      'name a file in a folder that exists',
    )
  }
}

function cannotWrite(path: string, reason: string, hint: string): Failure {
  return new Failure('usage', `cannot write ${path}: ${reason}`, { hint })
}

function idOf({ config }: TrialRecord): string {
  return shortIds([configFingerprint(config)])[0]
}

function describeWinner({ objective: { metric } }: Study, trial: TrialRecord): string {
  const shown = metricColumns<TrialRecord>(metric, (row) => row).map(({ title, value }) => {
    const cell = value(trial)
    return `${title} ${typeof cell === 'string' ? cell : formatNumber(cell, 2)}`
  })
  return `${idOf(trial)} (${shown.join(', ')})`
}

function shownAxis({ field, winner, values, extended, isContinuous }: RefinedAxis) {
  return isContinuous
    ? { field, winner, from: values[0], to: values[1], extended }
    : { field, winner, values, extended }
}

function describeAxis({ field, winner, values, extended, isContinuous }: RefinedAxis): string {
  const levels = isContinuous ? `${values[0]} to ${values[1]}` : values.join(', ')
  const beyond = extended.length === 0 ? '' : `; extended ${extended.join(' and ')}`
  return `  ${field} ${winner}: ${levels}${beyond}`
}

export async function refineGiven(context: Context, text: string, options: RefineOptions): Promise<void> {
  const shown = options.costsOf === undefined ? undefined : await costsOfBot(context, options, options.costsOf)
  await withKnownStore(context, pathsOf(context, options).store, (store) =>
    refine(context, text, options, { store, shown }),
  )
}
