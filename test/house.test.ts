/** What holds for every test: the long shares run at length, and folders are removed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { LONG_SHARES } from './projects.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const files = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && name !== 'house.test.ts')
const filesWith = (pattern: RegExp) => files.filter((name) => pattern.test(readFileSync(join(here, name), 'utf8')))

it('a test with a long share runs at length: it is in one list of `projects.ts`', () => {
  const sharing = filesWith(/support\/share\.ts'/).map((name) => `test/${name}`)
  expect(sharing.sort()).toEqual(Object.values(LONG_SHARES).flat().sort())
})

it('temporary folders come from `support/folder.ts`, which removes them', () => {
  expect(filesWith(/\bmkdtemp(?:Sync)?\b|\btmpdir\b/)).toEqual(['support/folder.ts'])
})
