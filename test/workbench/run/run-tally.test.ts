/** What a run has sent so far, and when rejects at its start are too many. */
import { expect, it } from 'vitest'
import { RunTally } from '../../../src/workbench/run/run-state.ts'

it('every submission that may have been counted is counted, whatever became of it', () => {
  const tally = new RunTally({})
  tally.noteAccepted()
  tally.noteRejected()
  tally.noteUnsure()
  expect(tally.sent).toBe(3)
})

it('a late arrival was counted when it was sent, and is a submission of this run', () => {
  const tally = new RunTally({})
  tally.noteUnsure()
  tally.noteArrived('a')
  expect(tally.sent).toBe(1)
  expect(tally.hasSubmitted('a')).toBe(true)
  expect(tally.hasSubmitted('b')).toBe(false)
})

it('three rejects in a row at the start are too many, none after one was accepted', () => {
  const tally = new RunTally({})
  expect([tally.noteRejected(), tally.noteRejected(), tally.noteRejected()]).toEqual([null, null, 3])
  const lucky = new RunTally({ maxRejects: 2 })
  lucky.noteRejected()
  lucky.noteAccepted()
  expect([lucky.noteRejected(), lucky.noteRejected(), lucky.noteRejected()]).toEqual([null, null, null])
})

it('an arrival ends the count of rejects at the start as well', () => {
  const tally = new RunTally({ maxRejects: 1 })
  tally.noteArrived('a')
  expect(tally.noteRejected()).toBeNull()
})

it('submissions without a certain answer are counted in a row, until one is accepted', () => {
  const tally = new RunTally({})
  expect([tally.noteUnsure(), tally.noteUnsure()]).toEqual([1, 2])
  tally.noteAccepted()
  expect(tally.noteUnsure()).toBe(1)
})

it('requests are those that left the program, where somebody counts them', () => {
  const tally = new RunTally({})
  tally.countRequest()
  expect(tally.requests).toBe(1)
  const counted = new RunTally({ countRequests: () => 7 })
  counted.countRequest()
  expect(counted.requests).toBe(7)
})
