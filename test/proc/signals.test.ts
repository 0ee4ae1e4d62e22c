/** R13, H36: Ctrl-C and SIGTERM at any moment: nothing new is sent, what is on its way may tell its outcome, and it ends in time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeCandles } from '../crash/searched-world.ts'
import { desk, ended } from '../support/dcalab.ts'
import { share } from '../support/share.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { httpService, studyOf } from './http-service.ts'
import { environmentOf, interruptMany } from './signals.ts'

const { signals, seed } = share({ usual: { signals: 2, seed: 13 }, long: { signals: 200, seed: 1_300 } })

it(`${signals} signals at random moments: no submission after one, an end within 11 s, the right exit code`, () =>
  interruptMany(signals, seed))

it('a second Ctrl-C ends it at once', async () => {
  const at = desk()
  const service = await httpService({ delayMs: (method) => (method === 'POST' ? Number.POSITIVE_INFINITY : 0) })
  writeFileSync(join(at.folder, 'study.json'), studyOf(3))
  const run = at.start(['run', 'study.json'], environmentOf(service.url))
  const end = ended(run)
  while (service.posts.length === 0) await delay(20)
  run.kill('SIGINT')
  await delay(300)
  const began = performance.now()
  run.kill('SIGINT')
  expect((await end).code).toBe(130)
  expect(performance.now() - began).toBeLessThan(3_000)
  await service.close()
})

it('Ctrl-C while a search screens ends it: nothing is proposed, nothing sent, and the next start screens again', async () => {
  const at = desk()
  const environment = { DCALAB_CANDLES: await makeCandles() }
  const service = await httpService()
  const { takeProfit: _, ...base } = STUDY_BASE
  const study = {
    name: 'large',
    market: { exchange: 'synthetic', baseAsset: 'DEMO', quoteAsset: 'USDT' },
    period: { from: '2024-01-01', to: '2024-01-13' },
    base,
    // Many seconds of work for one thread.
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: { from: 0.5, to: 25, step: 0.02 }, takeProfit: { from: 0.5, to: 20, step: 0.01 } },
    search: { method: 'screen', calibrate: 'off' },
  }
  writeFileSync(join(at.folder, 'study.json'), JSON.stringify(study))
  for (let n = 0; n < 2; n++) {
    const { reads } = service.service.requests
    const words = ['run', 'study.json', '--workers', '1', '--json']
    const run = at.start(words, { ...environment, ...environmentOf(service.url) })
    const end = ended(run)
    while (service.service.requests.reads === reads && run.exitCode === null) await delay(10)
    await delay(200)
    run.kill('SIGINT')
    const { code, stdout, stderr } = await end
    expect(code, stderr).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ stoppedBy: 'interrupt', proposals: [], trials: { total: 0 } })
  }
  expect(service.posts).toHaveLength(0)
  await service.close()
})
