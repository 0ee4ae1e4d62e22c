/** `dcalab` alone, which is `dcalab here`: studies, what runs, the allowance, demo bots, and what to type next. It asks no service. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StoredCandles } from '../../candles/folder/folder.ts'
import type { AllowanceReport } from '../../workbench/run/estimate.ts'
import type { StandingBot } from '../../workbench/store/standing.ts'
import type { Store } from '../../workbench/store/store.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { describeAllowance } from '../describe-run.ts'
import { shellWord } from '../next-command.ts'
import { formatTime, type Line, printJson, printLines } from '../output.ts'
import { type TimeWords, timesShown } from '../reader-time.ts'
import { findSpender } from '../service-link.ts'
import { type ServiceOptions, serviceQuestion, withServiceOption } from '../shown-service.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'
import { REPORTS_FOLDER } from './report.ts'
import { describeStudies, summariseStudy } from './status.ts'
import { EXAMPLES } from './study/init.ts'

export const hereCommand: Register = (program, context) => {
  const command = program
    .command('here')
    .description(
      'where you are: studies, what runs, allowance, demo bots, what to type next; what `dcalab` alone shows',
    )
  withExamples(withServiceOption(withCandles(withStore(command))), ['dcalab here', 'dcalab here --json']).action(
    (options: CommonOptions & ServiceOptions) => showStanding(context, options),
  )
}

interface StudyStanding extends ReturnType<typeof summariseStudy> {
  readonly reported: boolean
  readonly examined: boolean
  readonly promoted: boolean
}

/** What `nextCommand` decides by, and `--json` shows. */
export interface Standing {
  /** Latest first. */
  readonly studies: readonly StudyStanding[]
  /** Study files of this folder that the store does not know, the shipped examples aside. */
  readonly newFiles: readonly string[]
  readonly allowance: Pick<AllowanceReport, 'limit' | 'used' | 'available' | 'nextAt' | 'source'>
  /** Demo bots that trials became, latest first, as far as this store knows. */
  readonly bots: readonly StandingBot[]
  readonly candles: readonly {
    readonly market: string
    readonly interval: string
    readonly from: string
    readonly to: string
  }[]
}

async function showStanding(context: Context, options: CommonOptions & ServiceOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { listCandles } = await import('../../candles/folder/folder.ts')
  const candles = listCandles(candlesFolder).map(shownCandles)
  const standing = await withStoreToRead(context, path, async (store) => ({
    ...(await readStore(context, store, options)),
    candles,
  }))
  const next = nextCommand(standing)
  const { terminal } = context.system
  if (options.json) return printJson(terminal, { ...standing, next })
  await printLines(terminal, [...describeStanding(standing, timesShown(terminal)), `next: ${next}`])
}

function shownCandles({ market, interval, from, to }: StoredCandles) {
  return { market, interval, from: formatTime(from), to: formatTime(to) }
}

async function readStore(context: Context, store: Store, options: ServiceOptions): Promise<Omit<Standing, 'candles'>> {
  const [{ countStudies }, { estimateRun }, { isExamined, isPromoted, listStandingBots }] = await Promise.all([
    import('../../workbench/store/study-counts.ts'),
    import('../../workbench/run/estimate.ts'),
    import('../../workbench/store/standing.ts'),
  ])
  const spender = await findSpender(context, store)
  const now = context.system.clock.wall()
  const { limit, used, available, nextAt, source } = estimateRun(
    store,
    [],
    now,
    spender === undefined ? {} : { spender },
  ).allowance
  const studies = countStudies(store, await serviceQuestion(context, store, options)).map((count) => ({
    ...summariseStudy(count),
    reported: existsSync(join(REPORTS_FOLDER, `${count.study}.html`)),
    examined: isExamined(store, count.study),
    promoted: isPromoted(store, count.study),
  }))
  const known = new Set(studies.map(({ study }) => study))
  return {
    studies,
    newFiles: ownStudyFiles().filter((file) => !known.has(nameIn(file))),
    allowance: { limit, used, available, nextAt, source },
    bots: listStandingBots(store),
  }
}

function ownStudyFiles(): readonly string[] {
  if (!existsSync('studies')) return []
  return readdirSync('studies')
    .filter((name) => name.endsWith('.yaml') && !EXAMPLES.includes(basename(name, '.yaml')))
    .map((name) => `studies/${name}`)
    .sort()
}

/** The name that a study file states, without reading the rest of it; its own where it states none. */
function nameIn(file: string): string {
  return /^name: *([a-z0-9-]+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? basename(file, '.yaml')
}

/** What a person who stands here would type: what waits longest for them first, the newest study before older ones. */
export function nextCommand({ studies, newFiles, allowance, bots, candles }: Standing): string {
  const [study] = studies
  if (study !== undefined && study.waiting + study.running > 0) {
    return `dcalab run ${study.study}${allowance.available > 0 ? '' : ' --wait'}`
  }
  const [file] = newFiles
  if (file !== undefined) return `dcalab study check ${shellWord(file)}`
  if (study === undefined) {
    return candles.length > 0 ? 'dcalab study init' : 'dcalab candles import <file> --market <exchange/BASE-QUOTE>'
  }
  if (study.done === 0) return `dcalab status ${study.study}`
  if (!study.reported) return `dcalab report ${study.study} --open`
  if (!study.examined) return `dcalab examine ${study.study}`
  if (!study.promoted) return `dcalab promote ${study.study}`
  const idle = bots.find(({ startedAt }) => startedAt === null)
  return idle === undefined ? 'dcalab watch' : `dcalab bots start ${shellWord(idle.name)}`
}

const MOST_SHOWN = 5

function describeStanding({ studies, newFiles, allowance, bots, candles }: Standing, when: TimeWords): Line[] {
  const more = studies.length - MOST_SHOWN
  return [
    ...(studies.length === 0 ? ['no study has been run yet'] : describeStudies(studies.slice(0, MOST_SHOWN))),
    ...(more > 0 ? [`… ${more} more: dcalab status`] : []),
    ...(newFiles.length === 0 ? [] : [`not run yet: ${newFiles.join(', ')}`]),
    describeAllowance(allowance, when),
    ...bots.slice(0, MOST_SHOWN).map((bot) => describeStandingBot(bot, when)),
    candles.length === 0
      ? 'no candles yet; without any of your own, dcalab demo shows the whole story'
      : `candles: ${candles.slice(0, MOST_SHOWN).map(describeSeries).join('; ')}${candles.length > MOST_SHOWN ? '; more: dcalab candles list' : ''}`,
  ]
}

function describeStandingBot({ name, market, startedAt }: StandingBot, when: TimeWords): string {
  return `demo bot: ${name} on ${market}, ${startedAt === null ? 'not started' : `started ${when(startedAt)}`}`
}

function describeSeries({ market, interval, from, to }: Standing['candles'][number]): string {
  return `${market} ${interval} ${from.slice(0, 10)} to ${to.slice(0, 10)}`
}
