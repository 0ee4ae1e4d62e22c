/** A study that runs keeps its name and its definition; one whose run was killed, or over which another study runs, does not stand in the way. */
import { expect, it } from 'vitest'
import { currentStudy } from '../../../src/workbench/store/find-trial.ts'
import { holdLock } from '../../../src/workbench/store/lock.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { listStudies } from '../../../src/workbench/store/study-records.ts'
import { removeStudy, renameStudy } from '../../../src/workbench/store/study-upkeep.ts'
import { recordTriedLocally, triedKey } from '../../../src/workbench/store/tried-count.ts'
import { beginVerdict } from '../../../src/workbench/store/verdicts.ts'
import { makeStudy } from '../run/setup.ts'
import { identity, openWithStudy, start } from './setup.ts'

const rename = { from: 'ladder', to: 'rope' }

it('while a study runs it is neither renamed nor removed: the refusal names it, and who runs it', async () => {
  const { store } = await openWithStudy()
  const lock = holdLock(store, { identity })
  const refusal = {
    code: 'keyBusy',
    message: `the study "ladder" is running: Process ${process.pid} is already using this key`,
    details: { pid: process.pid },
  }
  await expect(renameStudy(store, rename)).rejects.toMatchObject(refusal)
  await expect(removeStudy(store, 'ladder')).rejects.toMatchObject(refusal)
  expect(listStudies(store).map(({ name }) => name)).toEqual(['ladder'])
  lock.release()
  await renameStudy(store, rename) // as after a run that was killed: it has no end, and nobody holds its key
  expect(listStudies(store).map(({ name }) => name)).toEqual(['rope'])
  const again = holdLock(store, { identity })
  again.release()
  store.close()
})

it('the study of a submission is named as it is called now', async () => {
  const { store, trials } = await openWithStudy()
  const sent = { study: 'ladder', fingerprint: trials[0].fingerprint }
  expect(currentStudy(store, sent)).toBe('ladder')
  await renameStudy(store, rename)
  expect(currentStudy(store, sent)).toBe('rope')
  await removeStudy(store, 'rope')
  expect(currentStudy(store, sent)).toBeUndefined()
})

it('a renamed study takes its verdicts and what was tried elsewhere with it', async () => {
  const { store, trials } = await openWithStudy()
  const [{ fingerprint }] = trials
  const trial = { fingerprint, identity, settings: null }
  await beginVerdict(store, { trial, study: 'ladder' })({
    ...{ basis: [], stretches: [] },
    verdict: { rules: 'verdict-1', grade: 'ahead' },
  })
  const period = { from: start, to: start + 1 }
  const tried = { market: 'binance/BTC-USDT', period, source: 'backtest', configs: 7 } as const
  await recordTriedLocally(store, { ...tried, key: triedKey('ladder') })
  await renameStudy(store, rename)
  expect(store.db.prepare('select study from verdicts').all()).toEqual([{ study: 'rope' }])
  expect(store.db.prepare("select key, configs from tried where source <> 'paid'").all()).toEqual([
    { key: triedKey('rope'), configs: 7 },
  ])
  store.close()
})

it('a study whose run ended, or was killed before another one began, is renamed while the other runs with the same key', async () => {
  const { store, trials } = await openWithStudy()
  const service = { identity, simulated: false, origin: 'https://bots.example' }
  await startStudyRun(store, { study: makeStudy('other'), trials, service, settingsOn: null })
  const lock = holdLock(store, { identity })
  await renameStudy(store, rename)
  await expect(renameStudy(store, { from: 'other', to: 'ladder' })).rejects.toMatchObject({ code: 'keyBusy' })
  store.db.prepare("update study_run set ended_at = started_at where study = 'other'").run()
  await removeStudy(store, 'other')
  lock.release()
  store.close()
})
