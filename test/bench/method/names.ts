/** What the bench measures, by name: what is printed, what the JSON holds and what the guide quotes follow from these lists. */
import { CHOICES } from '../../../src/engine/conventions.ts'

/** The screens of a stretch: of the calibrated twin, and of one that was not. */
export const SCREENS = {
  point: 'calibrated, point',
  uncalibrated: 'uncalibrated, point',
} as const
export type ScreenName = keyof typeof SCREENS

/** (a) What is paid for, held against 100 random jobs. */
export const SPENDINGS = {
  point: 'calibrated, 32 confirmed',
  point26: 'calibrated, 26 confirmed',
  pointFirst: 'calibrated, the first alone',
  uncalibrated: 'uncalibrated, 32 confirmed',
} as const
export type SpendingName = keyof typeof SPENDINGS

/** (b) How a configuration is chosen on train. */
export const RULES = {
  point: 'point',
  uncalibrated: 'point uncalibrated, confirmed',
  gridPoint: 'a random point of the grid',
  random: 'the winner of 100 random',
} as const
export type RuleName = keyof typeof RULES

/** (b) What is measured on train, to see what of it is left on test; more is always better. */
export const MEASURES = {
  netProfit: 'net profit',
  perUsedCapital: 'profit per average used capital',
  underStress: 'net profit under stress',
  lessFloatingLoss: 'net profit + worst floating loss',
  lowDrawdown: 'lowest drawdown',
  realizedProfit: 'realized profit',
  onMostUsedCapital: 'return on most used capital',
} as const
export type MeasureName = keyof typeof MEASURES

export const DIRECTIONS = {
  riseRise: 'rise, then rise',
  riseFall: 'rise, then fall',
  fallRise: 'fall, then rise',
  fallFall: 'fall, then fall',
} as const
export type DirectionName = keyof typeof DIRECTIONS

/** How `intrabar` is read by the hidden settings. */
export const READINGS = CHOICES.intrabar.readings
export type ReadingName = keyof typeof READINGS

export const TRAIN_LENGTHS = { month: 'up to 31 days', quarter: 'up to 92 days', longer: 'longer' } as const
export type TrainLength = keyof typeof TRAIN_LENGTHS

export function keysOf<Name extends string>(names: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(names) as Name[] // keys of a const literal
}

/** Something for each name of a list. */
export function forEachName<Name extends string, T>(
  names: Readonly<Record<Name, unknown>>,
  make: (name: Name) => T,
): Record<Name, T> {
  return Object.fromEntries(keysOf(names).map((name) => [name, make(name)])) as Record<Name, T> // one entry per name
}
