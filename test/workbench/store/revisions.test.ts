/** What is said of a study's revisions: as its file says it, and nothing of fields that a definition is too old to have. */

import { expect, it } from 'vitest'
import { marketName } from '../../../src/contract/market.ts'
import { readRevisions } from '../../../src/workbench/store/revisions.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { countTriedOn } from '../../../src/workbench/store/tried-count.ts'
import { makeStudy } from '../run/setup.ts'
import { identity, openWithStudy } from './setup.ts'

const DAY = 86_400_000

it('folds are told in days, and a field that came later is no change by itself', async () => {
  const { store, trials } = await openWithStudy()
  const service = { identity, simulated: false, origin: 'https://bots.example' }
  const save = (study: ReturnType<typeof makeStudy>) =>
    startStudyRun(store, { study, trials, service, settingsOn: null })
  const first = makeStudy('ladder')
  store.db.prepare("update study set definition_json = json_remove(definition_json, '$.walkForward')").run()
  const walkForward = { trainMs: 30 * DAY, testMs: 10 * DAY, embargoMs: 0, anchored: false }
  await save({ ...first, fingerprint: '2'.repeat(64), interval: '5m' })
  await save({ ...first, fingerprint: '3'.repeat(64), interval: '5m', walkForward })
  await save({
    ...first,
    fingerprint: '4'.repeat(64),
    interval: '5m',
    walkForward: { ...walkForward, testMs: 7 * DAY },
  })
  expect(readRevisions(store, 'ladder').map(({ changed }) => changed)).toEqual([
    [],
    [{ key: 'interval', old: null, new: '5m' }],
    [
      { key: 'validate.walkForward.anchored', old: null, new: 'false' },
      { key: 'validate.walkForward.embargo', old: null, new: '0d' },
      { key: 'validate.walkForward.test', old: null, new: '10d' },
      { key: 'validate.walkForward.train', old: null, new: '30d' },
    ],
    [{ key: 'validate.walkForward.test', old: '10d', new: '7d' }],
  ])
  store.close()
})

it('what a study says was tried before is counted once on each of its markets, however often it is run', async () => {
  const { store, trials } = await openWithStudy()
  const service = { identity, simulated: false, origin: 'https://bots.example' }
  const study = { ...makeStudy('by-hand'), fingerprint: '5'.repeat(64), tried: 17 }
  for (const tried of [17, 17, 19])
    await startStudyRun(store, { study: { ...study, tried }, trials, service, settingsOn: null })
  for (const market of study.markets.map(marketName))
    expect(countTriedOn(store, { market, period: study.period })).toEqual({ shown: 0, scanned: 19 })
  store.close()
})
