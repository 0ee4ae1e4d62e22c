/** What has a long share is in the list of those that run at length, and nothing else is. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { LONG_SHARES } from './projects.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const tests = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.test.ts'))

it('a test with a long share runs at length: it is in one list of `projects.ts`', () => {
  const sharing = tests.filter((name) => /support\/share\.ts'/.test(readFileSync(join(here, name), 'utf8')))
  const listed = Object.values(LONG_SHARES).flat()
  expect(sharing.map((name) => `test/${name}`).sort()).toEqual([...listed].sort())
})
