/**
 * The parts of a run. A run keeps in mind what it would be rude or slow to forget between two steps, never what it must not lose: that is
 * in the store. Each part is an object that alone writes its members; this record only holds them together.
 *
 *     run-tally            what was asked and sent              looks          when running jobs are looked at
 *     brake                why it stops                         unanswered     the submission without an answer
 *     patience             how long the service is left alone   speedometer    since when speed is measured
 *     agenda               what is to be submitted                labs           who else submits it
 *     service-allowance    what the service showed of its       recall         what the store says, read again after a commit
 *                          allowance, beside our ledger         talk           what was said already
 *     first-result         whether a result was read that agrees      rereads        which results are read once more
 *                          with itself
 */
import { type Market, marketName } from '../../contract/market.ts'
import { BACKTEST_ALLOWANCE } from '../../contract/refusals.ts'
import type { System } from '../../system.ts'
import type { CallOptions, JobOperations } from '../api/calls.ts'
import type { Spender } from '../store/services.ts'
import { type KeptSettings, type MarketSettings, NO_SETTINGS } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { askedSettings } from '../study/asked-settings.ts'
import type { AskedSettings } from '../study/settings.ts'
import type { Study } from '../study/study.ts'
import { Agenda } from './agenda.ts'
import { type Allowance, allowanceOf, ledgerSince } from './allowance.ts'
import { Brake } from './brake.ts'
import { FirstResult } from './first-result.ts'
import { Labs } from './labs.ts'
import { Looks } from './looks.ts'
import type { RunInput, RunOptions } from './options.ts'
import { Patience } from './patience.ts'
import { OWN_TERMS, USUAL_TERMS } from './poll.ts'
import { Recall } from './recall.ts'
import { Rereads } from './rereads.ts'
import { RunTally } from './run-tally.ts'
import { ServiceAllowance } from './service-allowance.ts'
import { createServiceClock, type ServiceClock } from './service-clock.ts'
import { Speedometer } from './speedometer.ts'
import { Talk } from './talk.ts'
import { Unanswered } from './unanswered.ts'

/** What there is before the service has said who it is. */
export interface Beginning {
  readonly system: System
  readonly store: Store
  readonly client: JobOperations
  readonly study: Study
  readonly agenda: Agenda
  readonly options: RunOptions
  /** Goes with every request, so that an interrupt ends it. */
  readonly call: CallOptions
  /** The costs and conventions that results are held against. */
  readonly settings: AskedSettings
  /** How long an unanswered submission may still arrive. */
  readonly settleMs: number
  /** The whole allowance, of which `allowance` leaves the reserve. */
  readonly limit: number
  readonly allowance: Allowance
  readonly clock: ServiceClock
  readonly tally: RunTally
  readonly brake: Brake
  readonly patience: Patience
  readonly serviceAllowance: ServiceAllowance
  readonly talk: Talk
}

export interface OpenRun extends Beginning {
  readonly spender: Spender
  readonly runId: number
  /** What submissions ask to be computed under, by market; on a service that is not ours, nothing. */
  readonly asked: MarketSettings
  /** Attempts up to this one are older than the run. */
  readonly lastAttemptBefore: number
  /** It is our own service, which is asked eagerly and computes under what it is asked. */
  readonly isOwn: boolean
  /** What was spent before it has no say in this run: ms, service time. It never moves, so that no unit is forgotten on the way. */
  readonly ledgerSince: number
  readonly looks: Looks
  readonly labs: Labs
  readonly unanswered: Unanswered
  readonly speedometer: Speedometer
  readonly recall: Recall
  readonly firstResult: FirstResult
  readonly rereads: Rereads
  /** ms UTC of our clock. */
  readonly startedAt: number
}

/** How long an unanswered submission may still arrive, ms, unless the user says otherwise. */
export function usualArrivalMs(loopback: boolean): number {
  return loopback ? 5_000 : 15 * 60_000
}

export function beginRun({ system, store, client, study, trials, options = {} }: RunInput): Beginning {
  const limit = options.allowance ?? BACKTEST_ALLOWANCE.count
  const allowance = allowanceOf(options)
  return {
    system,
    store,
    client,
    study,
    agenda: new Agenda(trials),
    options,
    call: options.signal === undefined ? {} : { signal: options.signal },
    settings: askedSettings(study),
    settleMs: options.settleMs ?? usualArrivalMs(options.loopback ?? false),
    limit,
    allowance,
    clock: createServiceClock(system.clock),
    tally: new RunTally(options),
    brake: new Brake(),
    patience: new Patience(options),
    serviceAllowance: new ServiceAllowance({ limit, allowance }),
    talk: new Talk(options.onProgress),
  }
}

export type Opening = Pick<OpenRun, 'spender' | 'runId' | 'asked' | 'lastAttemptBefore' | 'isOwn'>

/** What submissions on a market ask for. */
export function askedOn({ asked }: Pick<OpenRun, 'asked'>, market: Market): KeptSettings {
  return asked.get(marketName(market)) ?? NO_SETTINGS
}

/** What was learned at the beginning goes on: both records hold the same objects. */
export function openRun(beginning: Beginning, opening: Opening): OpenRun {
  const { store, agenda, clock } = beginning
  const since = ledgerSince(beginning.allowance, clock.now())
  return {
    ...beginning,
    ...opening,
    labs: new Labs(),
    looks: new Looks(opening.isOwn ? OWN_TERMS : USUAL_TERMS),
    unanswered: new Unanswered({ settleMs: beginning.settleMs, knewTime: clock.isAnchored() }),
    speedometer: new Speedometer(),
    ledgerSince: since,
    firstResult: new FirstResult({ isAwaited: !opening.isOwn }),
    rereads: new Rereads(),
    startedAt: beginning.system.clock.wall(),
    recall: new Recall({
      store,
      spender: opening.spender,
      trials: () => agenda.trials,
      settingsOn: (market) => askedOn(opening, market).settings,
      since,
    }),
  }
}
