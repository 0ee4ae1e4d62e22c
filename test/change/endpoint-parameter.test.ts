/** What it takes to add a parameter to an endpoint, and what stops a half-done one. */
import { beforeAll, describe, expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap, isFile } from './map.ts'
import { compileErrors, type Edit, inCopyWith, runTest } from './mutant.ts'

const FILES = [
  'src/service/http/parameters.ts', // its row: what it may say, how it is read
  'src/service/http/routes.ts', // what obeys it
  'src/service/jobs/jobs.ts', // the question to the store
  'test/service/parameters.test.ts', // two values that are answered differently
]

/** Three half-done changes that have nothing to do with each other, so that they are compiled at once. */
const MUTANTS: readonly Edit[] = [
  {
    file: 'src/service/http/routes.ts',
    find: "readParameters('listJobs', query)\n",
    replace: "readParameters('listJobs', query)\n  void page.state\n",
  },
  {
    file: 'src/contract/endpoints.ts',
    find: "path: '/api/bots/{id}/pnl', scope: 'read', query: []",
    replace: "path: '/api/bots/{id}/pnl', scope: 'read', query: ['period']",
  },
  {
    file: 'src/service/http/parameters.ts',
    find: 'state: oneOf(ORDER_STATES, null,',
    replace: "state: oneOf(['queued', 'completed'], null,",
  },
]

describe('a new parameter of an endpoint', () => {
  it('takes these files, as the map says', () => {
    expect(filesOnTheMap('an endpoint’s parameter')).toEqual(FILES)
    expect(FILES.length).toBeLessThanOrEqual(4)
    expect(FILES.filter((file) => !isFile(file))).toEqual([])
  })

  it.runIf(inTurn(isLong, import.meta.url))(
    'that offers the states of orders for jobs, as openapi.json once did, is noticed',
    async () => {
      const offered: Edit = {
        file: 'src/service/http/parameters.ts',
        find: "'ISO 8601 instant: jobs changed at or after it.'), before }",
        replace:
          "'ISO 8601 instant: jobs changed at or after it.'), before, state: oneOf(ORDER_STATES, null, 'State.') }",
      }
      const { code, stdout } = await inCopyWith([offered], (folder) =>
        runTest(folder, 'test/service/parameters.test.ts', 'for nothing else'),
      )
      expect(code).not.toBe(0)
      expect(stdout).toContain('listJobs')
    },
  )

  describe.runIf(inTurn(isLong, import.meta.url))('does not compile', () => {
    let errors = ''
    beforeAll(async () => {
      errors = (await compileErrors(MUTANTS)).join('\n')
    })

    it('where an endpoint reads one without a row of its own: a row of another endpoint is none', () => {
      expect(errors).toMatch(/routes\.ts.*'state' does not exist/)
    })

    it('where the API document names one that no row describes', () => {
      expect(errors).toMatch(/parameters\.ts.*Row<"readPnl">/)
    })

    it('where it offers words that the endpoint does not know: jobs have other states than orders', () => {
      expect(errors).toMatch(/routes\.ts.*"filled".*have no overlap/)
    })
  })
})
