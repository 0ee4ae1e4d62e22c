/** When the list may be asked about a submission without an answer, and how often it has to say so. */
import { expect, it } from 'vitest'
import { Unanswered } from '../../../src/workbench/run/run-state.ts'
import { hour, minute } from './setup.ts'

const settleMs = 15 * minute
const submission = { id: 1, openedAt: 10 * hour, unsureSince: 10 * hour + minute }
const late = { now: 20 * hour, monotonic: 5 * hour }

it('the list is asked once the request cannot arrive any more', () => {
  const unanswered = new Unanswered({ settleMs, knewTime: true })
  expect(unanswered.searchAt(submission, late)).toBe(10 * hour + minute + settleMs)
  expect(unanswered.searchAt({ ...submission, unsureSince: null }, late)).toBe(10 * hour + settleMs)
})

it('where the service tells no time, only what passes before our eyes counts', () => {
  const unanswered = new Unanswered({ settleMs, knewTime: false })
  const lookAt = (elapsedMs: number, steppedMs: number, id = 1) =>
    unanswered.searchAt({ ...submission, id }, { now: late.now + steppedMs, monotonic: late.monotonic + elapsedMs })
  expect(lookAt(0, 0)).toBe(late.now + settleMs)
  // The wall clock steps by a year: as long to wait as before.
  expect(lookAt(minute, 365 * 24 * hour)).toBe(late.now + 365 * 24 * hour + settleMs - minute)
  // Another submission starts its own time.
  expect(lookAt(hour, 0, 2)).toBe(late.now + settleMs)
})

it('absence is proved by two lists a minute apart, sooner where nothing takes long', () => {
  const unanswered = new Unanswered({ settleMs, knewTime: true })
  expect(unanswered.noteAbsent(submission, late.now)).toBe(false)
  expect(unanswered.searchAt(submission, late)).toBe(late.now + minute)
  expect(unanswered.noteAbsent(submission, late.now + minute)).toBe(true)
  const quick = new Unanswered({ settleMs: 5_000, knewTime: true })
  quick.noteAbsent(submission, late.now)
  expect(quick.searchAt(submission, late)).toBe(late.now + 1_000)
})

it('a list that lacked one submission says nothing of the next', () => {
  const unanswered = new Unanswered({ settleMs, knewTime: true })
  unanswered.noteAbsent(submission, late.now)
  const next = { ...submission, id: 2 }
  expect(unanswered.noteAbsent(next, late.now)).toBe(false)
  expect(unanswered.noteAbsent(next, late.now + minute)).toBe(true)
})

it('a list that lacks our jobs takes back what the one before seemed to show', () => {
  const unanswered = new Unanswered({ settleMs, knewTime: true })
  unanswered.noteAbsent(submission, late.now)
  unanswered.notePoorList(submission, late.now + minute)
  expect(unanswered.noteAbsent(submission, late.now + 2 * minute)).toBe(false)
  expect(unanswered.noteAbsent(submission, late.now + 3 * minute)).toBe(true)
})

it('after five lists that cannot be trusted this run asks no more; the next submission starts afresh', () => {
  const unanswered = new Unanswered({ settleMs, knewTime: true })
  expect(Array.from({ length: 5 }, () => unanswered.notePoorList(submission, late.now))).toEqual([
    false,
    false,
    false,
    false,
    true,
  ])
  expect(unanswered.searchAt(submission, late)).toBe(Number.POSITIVE_INFINITY)
  const next = { ...submission, id: 2 }
  expect(unanswered.searchAt(next, late)).toBe(10 * hour + minute + settleMs)
  expect(unanswered.notePoorList(next, late.now)).toBe(false)
})
