/**
 * H21, H22: replies with something wrong in them, some with our keys thrown back, on their whole way: over the wire, through the
 * reading, into the store. What is kept is the text as it came, keys struck out; what is derived is a finite number, or NULL with a reason.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { METRIC_NAMES, METRICS } from '../../../src/contract/metrics.ts'
import { Keys } from '../../../src/workbench/api/wire/keys.ts'
import { toObservation } from '../../../src/workbench/run/outcome-table.ts'
import { adoptFoundJob } from '../../../src/workbench/store/found-jobs.ts'
import { unpacked } from '../../../src/workbench/store/replies.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { mutatedJob } from '../api/mutated-job.ts'
import { API_KEY, clientOf, SECRET_KEY } from '../api/world.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { start } from './setup.ts'

const resultOf = `select r.*, p.body, j.state from job j join reply p on p.job_id = j.id left join result r on r.job_id = j.id where j.identity = ?`

/** Each mutant is a service's of its own, and what services are called is worked out among all that a store knows: a thousand would take minutes. */
const ofOneStore = 20

/** So many of them. */
export async function holdMutants(mutants: number): Promise<void> {
  const folder = folderInMemory()
  const trials = makeTrials(1)
  const keys = new Keys(API_KEY, SECRET_KEY)
  let text = ''
  const fetch: typeof globalThis.fetch = async () => new Response(text, { status: 200 })
  const { client } = clientOf('http://127.0.0.1:9', { fetch })
  function newStore(name: number): Store {
    const path = join(folder, `${name}.sqlite`)
    putEmptyStore(path)
    return openStore(path, { system: testSystem({ sleep: 'jump' }) })
  }
  let kept = 0
  let n = 0
  let store = newStore(n)
  try {
    await fc.assert(
      fc.asyncProperty(mutatedJob, fc.constantFrom('', '', '', API_KEY, SECRET_KEY), async (body, echo) => {
        if (++n % ofOneStore === 0) {
          store.close()
          store = newStore(n)
        }
        const identity = `https://bots.example#${n}`
        text = JSON.stringify(echo === '' ? body : [body, echo]).replace(
          /^\[(.*),("(?:[^"\\]|\\.)*")\]$/s,
          '{"data":$1,"echo":$2}',
        )
        const outcome = await client.readJob('job-1')
        // Without a usable id nothing is known to have ended: the job keeps being asked after.
        if (outcome.kind !== 'ok') return
        kept++
        const service = { identity, simulated: false, origin: 'https://bots.example' }
        await startStudyRun(store, { study: makeStudy(), trials, service, settingsOn: null })
        const observation = toObservation(outcome.value, start)
        const found = { identity, account: '', study: 'ladder', fingerprint: trials[0].fingerprint, countedAt: start }
        await adoptFoundJob(store, { ...found, observation, settingsId: null, runId: null })
        const stored = store.db.prepare<[string], Record<string, unknown>>(resultOf).get(identity)
        const raw = stored?.body instanceof Uint8Array ? unpacked(stored.body) : undefined
        expect(raw).toBe(keys.scrub(text))
        if (echo !== '') expect(raw).toContain('[secret]')
        if (stored === undefined || stored.state !== 'done') return
        const flags = JSON.parse(String(stored.metric_flags_json))
        const silent = METRIC_NAMES.filter((name) => {
          const { column, nullWhen, optional } = METRICS[name]
          const value = stored[column]
          if (value === null) return nullWhen === null && !optional && !(name in flags) && !('result' in flags)
          return !Number.isFinite(value)
        })
        expect(silent).toEqual([])
      }),
      { numRuns: mutants },
    )
    expect(kept).toBeGreaterThan(0.9 * mutants)
  } finally {
    store.close()
    removeFolder(folder)
  }
}
