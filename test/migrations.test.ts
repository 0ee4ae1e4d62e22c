/** A layout that was released is that of somebody's store. Its text is pinned here by its hash; a new one adds a row. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { MIGRATIONS as SERVICE_MIGRATIONS } from '../src/service/database.ts'
import { MIGRATIONS } from '../src/workbench/store/migrate.ts'

const hashes = (texts: readonly string[]) =>
  texts.map((text) => createHash('sha256').update(text).digest('hex').slice(0, 16))

it('a released layout of the workbench’s store is never edited', () => {
  const released = [
    '4efce54d86979c58', // 14
  ]
  expect(hashes(MIGRATIONS).slice(0, released.length)).toEqual(released)
})

it('a released version of the service’s store is never edited', () => {
  const released = [
    '9882e84527202cb5', // 3
  ]
  expect(hashes(SERVICE_MIGRATIONS).slice(0, released.length)).toEqual(released)
})
