/**
 * Types of what a dialect imports from 'dcalab', for editors. Name this file at the top of your dialect:
 *     /// <reference path="…/src/workbench/api/dcalab.d.ts" />
 * It is written from `reading/dialect-library.ts` by `test/workbench/api/dcalab-types.test.ts -u`.
 */
declare module 'dcalab' {
  /** A value that was not read, and why. JSON keeps it as it is; the metric becomes NULL with this reason. */
  export interface Unread {
    readonly unread: string
  }

  /** A finite number, or why there is none. `null` and `undefined` come back as they are: nothing was there to be read. */
  export type Read = number | Unread | null | undefined

  /** What a service's texts do not show by themselves. */
  export interface Form {
    /** The decimal mark; the other one then groups by three. Without it each text has to show it: "1,853.34" and "0,853" do, "1,234" does not. */
    readonly decimal?: '.' | ','
    /** Of `money`: the one unit that may be written ("USDT", "$"); '' = none. Default: any code of capitals and any sign of a currency. */
    readonly unit?: string
    /** Of `time`: whether 03/04/2025 begins with the day or with the month. */
    readonly dates?: 'dmy' | 'mdy'
    /** Of `time`: the zone of a time of day that names none: "UTC", "+02:00". */
    readonly zone?: string
    /** Of `minutes`: what a number without a unit counts. Default "min". */
    readonly from?: 'ms' | 's' | 'min' | 'h' | 'd'
    /** Without its sign: a drawdown of "-12.5 %" is 12.5. */
    readonly absolute?: boolean
  }

  export interface Helpers {
    money(value: unknown, more?: Form): Read
    percent(value: unknown, more?: Form): Read
    share(value: unknown, more?: Form): Read
    time(value: unknown, more?: Form): Read
    minutes(value: unknown, more?: Form): Read
  }

  /**
   * The helpers for one way of writing: `const { money, time } = form({ decimal: ',', zone: 'UTC' })`.
   * @throws Error for a form that is none
   */
  export function form(options: Form): Helpers

  /** An amount: 12.5, "12.5", "1,853.34 USDT", "$1.853,34", "(12.50)". A count or a ratio that is written as text is read by it too. */
  export function money(value: unknown, options?: Form): Read

  /** A percentage in percent: 58.5, "58.5", "58,5 %", "58.5 percent". A fraction is read by `share`. */
  export function percent(value: unknown, options?: Form): Read

  /** A fraction as percent: 0.585 and "0,585" → 58.5. */
  export function share(value: unknown, options?: Form): Read

  /**
   * A time as ms since 1970 UTC: seconds, ms, µs or ns by their size; ISO 8601; RFC 1123; a date alone is its midnight in UTC. A time of day
   * needs a zone and 03/04/2025 an order, written there or said with `form`. Times before 2000 and from 2200 on are refused.
   */
  export function time(value: unknown, options?: Form): Read

  /**
   * A duration in minutes: 90, "90", "1.5 h", "1d 2h 30m", "1:30:00", "PT1H30M". A number without a unit counts minutes, or what `from` says.
   * "12:30" is refused, months and years too.
   */
  export function minutes(value: unknown, options?: Form): Read
}
