/** What a search distrusted is said when its winner is promoted: `--anyway` went on, and nobody remembers. */
import { expect, it } from 'vitest'
import { planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { memoryOf } from '../../../src/workbench/store/kept-proposals.ts'
import { findStudy } from '../../../src/workbench/store/study-records.ts'
import { AGREEMENT } from '../../../src/workbench/study/proposals.ts'
import { OWNER, STUDY, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

async function doubtsAfter(verdict: unknown) {
  const { store } = await setup()
  const study = findStudy(store, STUDY)
  if (study === undefined) throw new Error('the world has its study')
  const [identity] = study.identities
  await memoryOf(store, { study, identity, account: '' }).write(AGREEMENT, verdict)
  return planPromotion(store, { target: STUDY, userEmail: OWNER }).doubts.filter(
    ({ code }) => code === 'agreementFailed',
  )
}

it('a search that disagreed with the service blocks the promotion of what it found, with what did not agree', async () => {
  const [found] = await doubtsAfter({ passed: false, failed: ['median', 'signs'] })
  expect(found).toMatchObject({ weight: 'block' })
  expect(found.message).toContain('median, signs')
})

it.each([[{ passed: true, failed: [] }], [null], ['no verdict'], [{}]])('%j raises no doubt', async (verdict) => {
  expect(await doubtsAfter(verdict)).toEqual([])
})
