/** The study that a command is given: a file, or one that the store holds; as it is, or of another period or other markets. */
import type { Command } from 'commander'
import { marketName } from '../contract/market.ts'
import { Failure, shellWord } from '../errors.ts'
import type { Rerun } from '../workbench/store/studies.ts'
import type { Replacement } from '../workbench/study/rerun.ts'
import type { Period, Study } from '../workbench/study/study.ts'
import { refuseHeldOut } from './agent-limits.ts'
import type { Context } from './context.ts'
import { isGiven, readGiven } from './input.ts'
import { option } from './option.ts'
import { say } from './output.ts'
import { withOpenStore } from './workbench.ts'

export interface ReplacingOptions {
  readonly period?: string
  readonly market?: readonly string[]
}

/** What a command that asks the same again must say once more. */
interface Kept extends ReplacingOptions {
  readonly part?: string
  readonly allowance?: number
  readonly allowanceWindow?: number
  readonly reserve?: number
  readonly rerun?: boolean
  readonly retryRejected?: boolean
}

/** A study as it was given, for a command that asks the same of it. */
export function sameQuestion(
  given: string,
  { period, market = [], part, allowance, allowanceWindow, reserve, rerun, retryRejected }: Kept,
): string {
  const words = [
    given,
    ...(period === undefined ? [] : ['--period', period]),
    ...(market.length === 0 ? [] : ['--market', ...market]),
    ...(part === undefined ? [] : ['--part', part]),
    ...(allowance === undefined ? [] : ['--allowance', String(allowance)]),
    ...(allowanceWindow === undefined ? [] : ['--allowance-window', String(allowanceWindow)]),
    ...(reserve === undefined ? [] : ['--reserve', String(reserve)]),
    ...(rerun ? ['--rerun'] : []),
    ...(retryRejected ? ['--retry-rejected'] : []),
  ]
  return words.map(shellWord).join(' ')
}

/** The argument that `readGivenStudy` reads, and the options that replace parts of the study. */
export function withGivenStudy(command: Command): Command {
  return command
    .argument('<study>', 'study file (YAML or JSON; - is stdin), or a stored study: my-ladder, my-ladder@2')
    .addOption(option('--period <from..to>', 'rerun on another period: 2025-01-01..2025-03-01'))
    .addOption(option('--market <market...>', 'rerun on other markets: binance/SOL-USDT'))
}

interface GivenStudy {
  readonly study: Study
  /** null = the definition of a file, as it is. */
  readonly rerun: Rerun | null
}

/**
 * @param options.mostPoints of its grid, where no one run goes through it
 * @param options.candlesFolder given where the service may use other candles than are stored here: a study that names no objective and whose candles are not here ranks by profit then, and that is said
 * @throws Failure holdoutRefused where an agent asks about what a stored study holds out; usage, studyInvalid; studyInvalid also for a period that reaches into the study's own hold-out, until that is opened
 */
export async function readGivenStudy(
  context: Context,
  given: string,
  options: ReplacingOptions & {
    readonly store: string
    readonly mostPoints?: number
    readonly candlesFolder?: string
  },
): Promise<GivenStudy> {
  const read = await readAny(context, given, options)
  const { markets, period } = read.study
  await refuseHeldOut(context, options.store, { markets: markets.map(marketName), period })
  const isStored = read.rerun !== null && Object.keys(read.rerun.replaced).length === 0
  if (options.candlesFolder === undefined || context.settings().baseUrl === undefined || isStored) return read
  return { ...read, study: await rankable(context, read.study, options.candlesFolder) }
}

/** What a study without an objective ranks by is computed on stored candles. */
async function rankable(context: Context, study: Study, candlesFolder: string): Promise<Study> {
  const [{ rankedByProfit }, { surveyStudyCandles }] = await Promise.all([
    import('../workbench/study/rerun.ts'),
    import('./local-candles.ts'),
  ])
  const other = rankedByProfit(study)
  if (other === undefined) return study
  const { infos } = surveyStudyCandles(candlesFolder, study)
  const without = [...infos].flatMap(([market, info]) => (info === null ? [market] : []))
  if (without.length === 0) return study
  const { terminal } = context.system
  say(
    terminal,
    `note: no candles of ${without.join(', ')} are stored for ${study.objective.metric}: ${study.name} ranks by ${other.objective.metric}`,
  )
  return other
}

async function readAny(
  context: Context,
  given: string,
  { store, period, market, mostPoints }: ReplacingOptions & { readonly store: string; readonly mostPoints?: number },
): Promise<GivenStudy> {
  const [{ parseStudy }, { readMarkets, readPeriod, replaceParts }] = await Promise.all([
    import('../workbench/study/parse.ts'),
    import('../workbench/study/rerun.ts'),
  ])
  const replaced: Replacement = {
    ...(period === undefined ? {} : { period: readPeriod(period) }),
    ...(market === undefined ? {} : { markets: readMarkets(market) }),
  }
  const size = mostPoints === undefined ? {} : { mostPoints }
  const isReplaced = replaced.period !== undefined || replaced.markets !== undefined
  const stored = isGiven(context, given) ? undefined : await findStored(context, { store, name: given })
  const of = stored?.study ?? parseStudy(await readGiven(context, given), { file: given, ...size })
  if (!isReplaced) return { study: of, rerun: stored === undefined ? null : { of, replaced } }
  if (stored?.isRerun === true) {
    throw new Failure('usage', `${given} is a rerun already; its period and markets cannot be replaced again`, {
      hint: `name the original study: ${of.name}`,
    })
  }
  if (
    replaced.period !== undefined &&
    reachesHoldout(of, replaced.period) &&
    !(await isOpened(context, store, of.name))
  ) {
    throw new Failure(
      'studyInvalid',
      `--period ${period} overlaps the hold-out of ${of.name}, which is not tested yet`,
      {
        hint: `end before ${new Date(of.holdout?.from ?? 0).toISOString()}, or test it once: dcalab holdout ${of.name} --test`,
      },
    )
  }
  return { study: replaceParts(of, replaced, size), rerun: { of, replaced } }
}

const STORED_NAME = /^[a-z0-9][a-z0-9-]{0,63}(?:@[1-9]\d{0,8})?$/

/** undefined = it is no name of a study, and is read as a file. @throws Failure usage where neither has it */
async function findStored(
  context: Context,
  { store: path, name }: { readonly store: string; readonly name: string },
): Promise<{ readonly study: Study; readonly isRerun: boolean } | undefined> {
  if (!STORED_NAME.test(name)) return undefined
  const [{ storeIsThere }, { findStudy, suggestStudy }, { storedStudy }] = await Promise.all([
    import('../workbench/store/store.ts'),
    import('../workbench/store/study-records.ts'),
    import('../workbench/store/studies.ts'),
  ])
  const { record, meant } = storeIsThere(path)
    ? await withOpenStore(context, path, async (store) => ({
        record: findStudy(store, name),
        meant: suggestStudy(store, name),
      }))
    : { meant: '' }
  if (record !== undefined) return { study: storedStudy(record), isRerun: record.isRerun }
  throw new Failure('usage', `cannot read ${name}: no such file, and no stored study has this name${meant}`, {
    hint: 'name an existing file, or a study of `dcalab study list`',
  })
}

async function isOpened(context: Context, path: string, name: string): Promise<boolean> {
  const [{ storeIsThere }, { isHoldoutOpened }] = await Promise.all([
    import('../workbench/store/store.ts'),
    import('../workbench/store/study-records.ts'),
  ])
  return storeIsThere(path) && withOpenStore(context, path, async (store) => isHoldoutOpened(store, name))
}

/** Whether a period reaches into what a study holds out. The market does not matter: prices of one time move together. */
function reachesHoldout({ holdout }: Pick<Study, 'holdout'>, period: Period): boolean {
  return holdout !== null && period.from < holdout.to && period.to > holdout.from
}
