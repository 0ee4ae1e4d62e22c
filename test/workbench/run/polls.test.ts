/** When a run looks at its running jobs, and since when its speed is measured. */
import { expect, it } from 'vitest'
import { OWN_TERMS, Polls, USUAL_TERMS } from '../../../src/workbench/run/open-run.ts'
import { Throughput } from '../../../src/workbench/run/run-state.ts'
import { minute } from './setup.ts'

const start = 1_000_000

it('the first look reads the list; the next comes after the usual pause', () => {
  const looks = new Polls(USUAL_TERMS)
  expect(looks.surveyed).toBe(false)
  looks.noteSurvey(start)
  expect([looks.surveyed, looks.polledAt, looks.nextAt]).toEqual([true, start, start + USUAL_TERMS.firstMs])
})

it('a look counts from its beginning: what changed while the list was read is asked for again', () => {
  const looks = new Polls(USUAL_TERMS)
  looks.noteSurvey(start)
  const when = { startedAt: start + minute, now: start + minute + 20_000, oldestSubmittedAt: start }
  looks.notePoll({ ended: 1, running: 3, submitting: false }, when)
  expect(looks.polledAt).toBe(start + minute)
  expect(looks.nextAt).toBeGreaterThan(start + minute + 20_000)
  expect(looks.askSince(start - minute, { isMissed: false })).toBeLessThan(start + minute)
})

it('a job that was not found is looked for since the oldest one was submitted', () => {
  const looks = new Polls(USUAL_TERMS)
  looks.noteSurvey(start)
  expect(looks.askSince(start - minute, { isMissed: true })).toBeLessThan(start - minute)
  expect(looks.askSince(start - minute, { isMissed: false })).toBeGreaterThan(start - minute)
})

it('our own service is looked at soon after a submission, another one when its time has come', () => {
  const own = new Polls(OWN_TERMS)
  own.noteSurvey(start)
  own.noteSubmission(start + 150)
  expect(own.nextAt).toBe(start + 150 + (OWN_TERMS.afterSubmissionMs ?? 0))
  const other = new Polls(USUAL_TERMS)
  other.noteSurvey(start)
  other.noteSubmission(start + 150)
  expect(other.nextAt).toBe(start + USUAL_TERMS.firstMs)
})

it('speed is measured from the first look on, and anew after a long wait', () => {
  const speedometer = new Throughput()
  const early = { at: 1, ended: 0 }
  expect(speedometer.measureFrom(early, { isStarted: false })).toEqual(early)
  expect(speedometer.measureFrom({ at: 2, ended: 5 }, { isStarted: true })).toEqual({ at: 2, ended: 5 })
  expect(speedometer.measureFrom({ at: 3, ended: 9 }, { isStarted: true })).toEqual({ at: 2, ended: 5 })
  speedometer.startAnew()
  expect(speedometer.measureFrom({ at: 4, ended: 9 }, { isStarted: true })).toEqual({ at: 4, ended: 9 })
})
