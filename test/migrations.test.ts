/** A migration that was released has run in somebody's store. Its text is pinned here by its hash; a new one adds a row. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { MIGRATIONS as SERVICE_MIGRATIONS } from '../src/service/schema.ts'
import { MIGRATIONS } from '../src/workbench/store/migrate.ts'

const hashes = (texts: readonly string[]) =>
  texts.map((text) => createHash('sha256').update(text).digest('hex').slice(0, 16))

it('a released migration of the workbench’s store is never edited', () => {
  const released = [
    '3d983f4d2dddaafe', // 0001-first-store
    '6b3cb99c663e64bb', // 0002-request-owner
    'b8257230d9d628f2', // 0003-screens
    'b61221719ba2a06a', // 0004-missing-in-deals
    '15dedc6b932b40a1', // 0005-bot-orders
    'a2e1709cd0cc4a04', // 0006-nulls-in-json-checks
    'a49b38b5b157196d', // 0007-unplaced-orders
    '0e7b352824ef7803', // 0008-settings-and-revisions
    '6933fe39c4841385', // 0009-searches
    '40df1a2e12b7dd22', // 0010-companions
    '83fad4db929677e6', // 0011-examinations
    '13f69230c165c12a', // 0012-drift
    'e144c0ee5f46def2', // 0013-study-places
    'a40c9875170efe74', // 0014-agent-runs
  ]
  expect(hashes(MIGRATIONS).slice(0, released.length)).toEqual(released)
})

it('a released migration of the service’s store is never edited', () => {
  const released = ['8ac4ac19f4ae69da', 'dfde2ac51da770c5', '415f1a3aff9efd03']
  expect(hashes(SERVICE_MIGRATIONS).slice(0, released.length)).toEqual(released)
})
