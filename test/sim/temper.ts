/** What a seed draws: the temper of a world and the habits of its service. */
import { day, minute } from '../workbench/run/setup.ts'
import { COUNTER_KINDS, type CounterKind, createCounter } from './counters.ts'
import { FATES, type Fate } from './network.ts'
import type { Random } from './random.ts'
import { createService, type ServiceTraits, type SimService } from './service.ts'

export interface Temper {
  readonly kind: CounterKind
  readonly faultShare: number
  readonly fates: readonly Fate[]
  /** Mean number of steps between two crashes. */
  readonly stepsPerCrash: number
  readonly foreign: boolean
  readonly clockSteps: boolean
  readonly sleeps: boolean
  readonly sendsDate: boolean
  readonly analyst: boolean
  readonly echoes: 'all' | 'request' | 'nothing'
  readonly wait: boolean
}

/** Which misfortunes a world has; each is left out of some worlds, so that they do not hide one another. */
export function drawTemper(random: Random, seed: number): Temper {
  const twice = random.chance(0.25)
  return {
    kind: COUNTER_KINDS[seed % COUNTER_KINDS.length],
    faultShare: random.pick([0.15, 0.3, 0.4]),
    fates: FATES.filter((fate) => fate !== 'ok' && (fate === 'twice' ? twice : random.chance(0.8))),
    stepsPerCrash: random.pick([160, 320, 800, 2_000]),
    foreign: random.chance(0.2),
    clockSteps: random.chance(0.4),
    sendsDate: random.chance(0.9),
    analyst: random.chance(0.2),
    echoes: random.pick(['all', 'all', 'all', 'request', 'request', 'nothing']),
    wait: random.chance(0.7),
    sleeps: random.chance(0.3),
  }
}

/** `traits`: what does not follow from the temper. */
export function makeService(temper: Temper, random: Random, traits: Partial<ServiceTraits>): SimService {
  const { kind } = temper
  const told =
    kind === 'sliding' || kind === 'countsRejects' || kind === 'countsDeletes'
      ? 'sliding'
      : kind === 'tokenBucket'
        ? null
        : 'fixed'
  return createService(
    {
      allowance: createCounter(kind, { count: 100, windowMs: day, phase: random.next() }),
      minute: createCounter(random.pick(COUNTER_KINDS), { count: 120, windowMs: minute, phase: random.next() }),
      windowType: random.chance(0.7) ? told : null,
      allowanceCount: 100,
      echoes: temper.echoes,
      pageSize: random.pick([20, 50, 1000, 1000]),
      bareList: random.chance(0.2),
      sendsDate: temper.sendsDate,
      skewMs: random.pick([0, 0, -90_000, 3_600_000]),
      shortestJobMs: random.pick([1_000, 60_000]),
      longestJobMs: random.pick([30_000, 5 * minute, 40 * minute]),
      failingShare: random.pick([0, 0.1]),
      rejects: random.chance(0.2) ? ({ takeProfit }) => Number(takeProfit) % 20 === 19 : () => false,
      tellsLimits: random.chance(0.8),
      ...traits,
    },
    random,
  )
}
