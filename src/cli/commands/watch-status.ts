/** `dcalab status --watch`: runs, allowance and demo bots in one table that is drawn anew; off a terminal one line a round. */

import { Failure } from '../../errors.ts'
import type { BotReading } from '../../workbench/api/reading/readings.ts'
import type { Store } from '../../workbench/store/store.ts'
import type { CommonOptions, Context } from '../context.ts'
import { withHeartbeat } from '../long-work.ts'
import { formatDuration, jsonText, printLines, type Tone, timesShown, toneOfGain } from '../output.ts'
import { findServiceAccount, type ServiceLink, withStoreAndService } from '../service-link.ts'
import { type ServiceOptions, serviceQuestion } from '../shown-service.ts'
import { describeStudies, summariseStudy } from '../studies-table.ts'
import { fittingTable } from '../table.ts'
import { pathsOf } from '../workbench.ts'
import { findDrift } from './bots/compare.ts'

interface WatchOptions extends CommonOptions, ServiceOptions {
  /** Only this one; absent = all of them. */
  readonly study?: string
  /** Seconds. */
  readonly every?: number
  readonly times?: number
}

const USUAL_SECONDS = 60

/** Until it is stopped, or `times` are over. */
export function watchStatus(context: Context, options: WatchOptions): Promise<void> {
  return watch(context, options).catch((error) => endQuietly(context, error))
}

/** Ctrl-C is how it ends: that is said in its first line, and is no failure. */
function endQuietly(context: Context, error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'interrupted') throw error
  context.endWith(error.exitCode)
}

async function watch(context: Context, options: WatchOptions): Promise<void> {
  const { candlesFolder } = pathsOf(context, options)
  await withStoreAndService(
    context,
    options,
    async (link, store) => {
      for (let round = 1; ; round++) {
        await show(context, options, await watchOnce(context, { store, link, candlesFolder, options }))
        if (round === options.times) return
        await restUntilNext(context, (options.every ?? USUAL_SECONDS) * 1000)
      }
    },
    { trade: true },
  )
}

async function restUntilNext(context: Context, ms: number): Promise<void> {
  await withHeartbeat(
    context,
    (elapsedMs) => `next refresh in ${formatDuration(Math.max(0, ms - elapsedMs))}`,
    () => context.system.clock.sleep(ms, context.signal),
  )
}

interface WatchedBot {
  readonly bot: string
  readonly name: string | null
  readonly market: string | null
  readonly state: string
  /** Quote; null where the service does not report it. */
  readonly profit: number | null
  /** none, small, large or unknown; null where it could not be compared. */
  readonly drift: string | null
  /** Profit beside that of the backtest, quote. */
  readonly gap: number | null
  /** The verdict in words, or why there is none. */
  readonly said: string
}

interface WatchRound {
  /** ISO 8601 UTC. */
  readonly at: string
  readonly studies: readonly ReturnType<typeof summariseStudy>[]
  readonly allowance: { readonly limit: number; readonly used: number; readonly available: number }
  readonly bots: readonly WatchedBot[]
  /** Why the bots could not be listed; null where they could. */
  readonly botsReason: string | null
}

interface Around extends BotsAround {
  readonly options: WatchOptions
}

interface BotsAround {
  readonly store: Store
  readonly link: ServiceLink
  readonly candlesFolder: string
}

async function watchOnce(context: Context, { store, link, candlesFolder, options }: Around): Promise<WatchRound> {
  const { estimateRun } = await import('../../workbench/run/progress.ts')
  const now = context.system.clock.wall()
  const serviceAccount = await findServiceAccount(context, store)
  const { allowance } = estimateRun(store, [], now, serviceAccount === undefined ? {} : { serviceAccount })
  const { limit, used, available } = allowance
  const seen = {
    at: new Date(now).toISOString(),
    studies: await countWatched(context, store, options),
    allowance: { limit, used, available },
  }
  try {
    return { ...seen, bots: await watchBots(context, { store, link, candlesFolder }), botsReason: null }
  } catch (error) {
    // A service that is away for a while is no reason to stop watching; being stopped is.
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error
    return { ...seen, bots: [], botsReason: error.message }
  }
}

/** @throws Failure notFound */
async function countWatched(context: Context, store: Store, options: WatchOptions) {
  const [{ countStudies }, { unknownStudy }] = await Promise.all([
    import('../../workbench/store/study-counts.ts'),
    import('../../workbench/store/study-records.ts'),
  ])
  const { study } = options
  const of = study === undefined ? {} : { study }
  const counts = countStudies(store, { ...of, ...(await serviceQuestion(context, store, options)) })
  if (study !== undefined && counts.length === 0) throw unknownStudy(store, study)
  return counts.map(summariseStudy)
}

async function watchBots(context: Context, { store, link, candlesFolder }: BotsAround): Promise<readonly WatchedBot[]> {
  const [{ listAllBots }, { meetService }] = await Promise.all([
    import('../../workbench/bots/promote/make-bot.ts'),
    import('../../workbench/bots/promote/make-bot.ts'),
  ])
  const { client, userEmail } = link
  if (userEmail === '') {
    throw new Failure('settingInvalid', 'DCALAB_USER_EMAIL must name the owner of the bots')
  }
  const { identity } = await meetService(store, client)
  const bots = (await listAllBots(client, userEmail)).filter(({ isDemo }) => isDemo)
  const watched: WatchedBot[] = []
  for (const bot of bots) {
    watched.push(
      await watchBot(bot, () =>
        findDrift(context, { client, store }, { id: bot.id, identity, candlesFolder, given: {} }),
      ),
    )
  }
  return watched
}

async function watchBot(bot: BotReading, find: () => ReturnType<typeof findDrift>): Promise<WatchedBot> {
  const { exchange, baseAsset, quoteAsset } = bot.market ?? {}
  const about = {
    bot: bot.id,
    name: bot.name,
    market: exchange === undefined ? null : `${exchange}/${baseAsset}-${quoteAsset}`,
    state: bot.stateText,
  }
  try {
    const { profit, verdict } = await find()
    return { ...about, profit: profit.bot, drift: verdict.drift, gap: profit.gap, said: verdict.sentence }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error
    return { ...about, profit: null, drift: null, gap: null, said: error.message }
  }
}

async function show(context: Context, { json, every = USUAL_SECONDS }: WatchOptions, round: WatchRound): Promise<void> {
  const { terminal } = context.system
  if (json) return terminal.out(`${jsonText(round)}\n`)
  if (!terminal.outIsTerminal || !terminal.redraws) return printLines(terminal, [lineOf(round)])
  await terminal.out('\u001b[H\u001b[2J') // home, and everything cleared
  const { used, limit, available } = round.allowance
  await printLines(terminal, [
    `${timesShown(terminal)(round.at)}   every ${every} s, Ctrl-C ends it`,
    `daily limit ${used} of ${limit} used, ${available} left`,
    '',
    ...describeStudies(round.studies),
    '',
    ...(round.botsReason === null ? [] : [`bots: ${round.botsReason}`]),
    fittingTable(round.bots, [
      { title: 'bot', role: 'id', value: (row) => row.name ?? row.bot },
      { title: 'market', value: (row) => row.market },
      { title: 'state', role: 'varied', value: (row) => row.state },
      { title: 'profit', value: (row) => row.profit, digits: 2, tone: toneOfGain },
      { title: 'gap', value: (row) => row.gap, digits: 2 },
      { title: 'drift', role: 'varied', value: (row) => row.drift ?? '–', tone: toneOfDrift },
    ]),
    ...round.bots.filter(({ drift }) => drift !== 'none').map(({ bot, name, said }) => `${name ?? bot}: ${said}`),
  ])
}

function toneOfDrift(drift: string | number | null): Tone | undefined {
  return drift === 'large' ? 'bad' : drift === 'small' ? 'warn' : undefined
}

function lineOf({ at, studies, allowance, bots, botsReason }: WatchRound): string {
  const sum = (count: 'total' | 'done' | 'running' | 'failed') => studies.reduce((all, row) => all + row[count], 0)
  const parts = bots.map(
    ({ bot, name, state, profit, drift }) =>
      `${name ?? bot} ${state} profit ${profit === null ? '–' : profit.toFixed(2)} drift ${drift ?? '–'}`,
  )
  return [
    `${at} trials ${sum('done')} of ${sum('total')} done, ${sum('running')} running, ${sum('failed')} failed`,
    `allowance ${allowance.used} of ${allowance.limit}`,
    ...(botsReason === null ? [`bots ${bots.length}`, ...parts] : [`bots: ${botsReason}`]),
  ].join('; ')
}
