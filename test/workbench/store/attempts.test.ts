/** The intent and the room for it are one transaction: no room, no row. */
import { expect, it } from 'vitest'
import { openAttempt } from '../../../src/workbench/store/attempts.ts'
import { readSpent } from '../../../src/workbench/store/ledger.ts'
import { openWithStudy, spender, start } from './setup.ts'

it('a full ledger refuses inside the transaction, and nothing is written', async () => {
  const { store, trials } = await openWithStudy()
  const seen: number[] = []
  const attempt = await openAttempt(store, {
    ...spender,
    study: 'ladder',
    fingerprint: trials[0].fingerprint,
    now: start,
    settingsId: null,
    runId: null,
    admit: (spentAt) => {
      seen.push(spentAt.length)
      expect(store.db.inTransaction).toBe(true)
      return false
    },
  })
  expect(attempt).toBe('full')
  expect(seen).toEqual([0])
  expect(readSpent(store, { ...spender, now: start })).toEqual([])
})
