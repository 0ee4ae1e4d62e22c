/** `search.score` as a study file says it. */
import { expect, it } from 'vitest'
import { type Data, exampleStudy, parseData } from './example.ts'

const LOG = { from: 0.5, to: 2, count: 3, scale: 'log' }

const study = (search?: Data, takeProfit: Data = LOG) =>
  parseData({ ...exampleStudy({ takeProfit }), ...(search === undefined ? {} : { search }) })

it('a study that names no score ranks by its objective, and is the study it was', () => {
  expect(study(undefined).search).toEqual({ method: 'grid', score: 'point' })
  expect(study({ method: 'grid' }).fingerprint).toBe(study(undefined).fingerprint)
  expect(study({ score: 'stressed' }).search).toEqual({ method: 'grid', score: 'stressed' })
})

it('a plateau measures distances as the file scales each axis, so the same values on another scale are another question', () => {
  expect(study({ score: 'plateau' }).search).toEqual({ method: 'grid', score: 'plateau', logFields: ['takeProfit'] })
  expect(study({ score: 'plateau' }, [0.5, 1, 2]).search).toMatchObject({ logFields: [] })
  expect(study({ score: 'plateau' }, [0.5, 1, 2]).fingerprint).not.toBe(study({ score: 'plateau' }).fingerprint)
  expect(study(undefined, [0.5, 1, 2]).fingerprint).toBe(study(undefined).fingerprint)
})
