/** Where somebody's work stands, in few facts, and the one command that comes next. */

import { firstRow, statement } from '../../sqlite/statements.ts'
import type { Store } from './store.ts'
import { IS_OPEN, query } from './tables.ts'
import type { KeptVerdict } from './verdicts.ts'

export interface StandingBot {
  readonly bot: string
  readonly name: string
  /** Whose it is on our embedded service; empty elsewhere. */
  readonly account: string
  /** exchange/BASE-QUOTE. */
  readonly market: string
  /** ISO 8601 UTC; null = it was not started by this program. */
  readonly startedAt: string | null
}

const standingBots = statement(botRows)

/** Demo bots that trials of this store became, the latest first. What became of them since, only the service knows. */
export function listStandingBots(store: Store): readonly StandingBot[] {
  return standingBots.all(store.db)
}

/** The latest that a trial of this study became; null = none did. */
export function findStandingBot(store: Store, study: string): StandingBot | null {
  const ofStudy = query.selectFrom('study_trial').select('fingerprint').where('study', '=', study)
  return firstRow(store.db, botRows().where('p.fingerprint', 'in', ofStudy).limit(1)) ?? null
}

function botRows() {
  return query
    .selectFrom('promotion as p')
    .innerJoin('trial as t', 't.fingerprint', 'p.fingerprint')
    .select(['p.bot_id as bot', 'p.name', 'p.account', 't.market', 'p.started_at as startedAt'])
    .where('p.bot_id', 'is not', null)
    .where('p.state', 'in', ['created', 'verified'])
    .orderBy('p.id', 'desc')
    .$narrowType<{ bot: string }>()
}

/** How much the store holds. */
export function countHeld({ db }: Store): Readonly<Record<'studies' | 'jobs' | 'unresolved', number>> {
  const studies = query.selectFrom('study').select(({ fn }) => fn.count<number>('name').distinct().as('n'))
  const jobs = query.selectFrom('job').select(({ fn }) => fn.countAll<number>().as('n'))
  const open = query.selectFrom('attempt').select(({ fn }) => fn.countAll<number>().as('n'))
  return {
    studies: firstRow(db, studies)?.n ?? 0,
    jobs: firstRow(db, jobs)?.n ?? 0,
    unresolved: firstRow(db, open.where(IS_OPEN))?.n ?? 0,
  }
}

/** What `nextCommand` decides by. */
export interface WorkState {
  /** The one that was asked about, else the latest; null = none was run yet. */
  readonly study: {
    readonly name: string
    /** Backtests that wait or run. */
    readonly open: number
    readonly unresolved: number
    readonly done: number
    readonly isReported: boolean
    /** Of its best on all of its markets; null = it was not judged. `next`: the command that the verdict ends with. */
    readonly verdict: {
      readonly grade: KeptVerdict['grade']
      readonly isStale: boolean
      readonly next: string | null
    } | null
    /** The latest bot that its trials became. */
    readonly bot: StandingBot | null
  } | null
  /** A study file that was never run; null where one study was asked about. */
  readonly newFile: string | null
  readonly isAllowanceLeft: boolean
  readonly hasCandles: boolean
}

/** Of which a next command may name a demo bot that does not run yet. */
export const WORTH_A_BOT: readonly KeptVerdict['grade'][] = ['ahead', 'beat']

/**
 * The command to type next, as a shell takes it: the first that applies and was not just typed; null where none does. It offers what the verdict
 * offers: a bot is named only where it runs, or where the grade allows it.
 * @param just the command that has ended
 */
export function nextCommand({ study, newFile, isAllowanceLeft, hasCandles }: WorkState, just = ''): string | null {
  if (newFile !== null && (study === null || study.open === 0)) return `dcalab study check ${newFile}`
  if (study === null) return hasCandles ? 'dcalab study init' : 'dcalab demo'
  const { name, verdict, bot } = study
  const bots = (what: string) =>
    bot !== null && `dcalab bots ${what} ${bot.name}${bot.account === '' ? '' : ` --user ${bot.account}`}`
  const steps = [
    study.unresolved > 0 && 'dcalab service jobs resolve',
    study.open > 0 && `dcalab run ${name}${isAllowanceLeft ? '' : ' --wait'}`,
    study.done === 0 && `dcalab status ${name}`,
    study.done > 0 && (verdict === null || verdict.isStale) && `dcalab verdict ${name}`,
    bot !== null && bot.startedAt !== null && bots('compare'),
    bot !== null && verdict !== null && WORTH_A_BOT.includes(verdict.grade) && bots('start'),
    bot === null && verdict?.next,
    study.done > 0 && !study.isReported && `dcalab report ${name} --open`,
    verdict?.next,
  ]
  return steps.find((step): step is string => typeof step === 'string' && step !== just) ?? null
}
