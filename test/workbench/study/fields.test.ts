/** One row per field: everything a file may say is read, and everything that is read is part of the study's name. */
import { describe, expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import {
  CONSUMERS,
  type Definition,
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  readSearch,
  withoutNewDefaults,
} from '../../../src/workbench/study/fields.ts'
import { studyFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { studySchema } from '../../../src/workbench/study/schema.ts'
import { METHOD_NAMES } from '../../../src/workbench/study/study.ts'
import { exampleStudy, parseData } from './example.ts'

const study = parseData(exampleStudy({ takeProfit: [1, 2] }))
const [market] = study.markets

/** Every method with the settings that a file gives it by saying nothing else. */
const BY_METHOD = METHOD_NAMES.map((method) => readSearch({ search: { method } }))
const RANDOM = { method: 'random', configs: 40, seed: 1 } as const
const SCREEN = { method: 'screen', configs: 40, samples: 8, calibrate: 'auto', seed: 1 } as const

const DAY_MS = 86_400_000
const WALK = { trainMs: DAY_MS, testMs: DAY_MS, embargoMs: 0, anchored: false }

/** Another value of each field. */
const OTHERS: { readonly [Field in FieldName]: readonly Definition[Field][] } = {
  markets: [
    [{ ...market, exchange: 'okx' }],
    [{ ...market, baseAsset: 'ETH' }],
    [{ ...market, quoteAsset: 'USDC' }],
    [market, { ...market, baseAsset: 'ETH' }],
  ],
  period: [
    { ...study.period, from: study.period.from - 1 },
    { ...study.period, to: study.period.to + 1 },
  ],
  holdout: [study.period, { ...study.period, from: study.period.from - 1 }],
  walkForward: [
    WALK,
    { ...WALK, trainMs: 2 * DAY_MS },
    { ...WALK, testMs: 2 * DAY_MS },
    { ...WALK, embargoMs: DAY_MS },
    { ...WALK, anchored: true },
  ],
  interval: ['1m', '5m'],
  costs: [
    { ...study.costs, feePercent: 0.2 },
    { ...study.costs, slippagePercent: 0.2 },
  ],
  conventions: [{ ...study.conventions, spacing: 'from-previous' }, CONVENTION_PRESETS['three-commas']],
  base: [{ ...study.base, stopLoss: 20 }],
  axes: [
    [{ field: 'takeProfit', values: [1, 2], continuous: { from: 1, to: 2, scale: 'linear' } }],
    [{ field: 'takeProfit', values: [1, 2], continuous: { from: 1, to: 2, scale: 'log' } }],
    [{ field: 'takeProfit', values: [1, 3] }],
    [...study.axes, { field: 'stopLoss', values: [0, 20] }],
  ],
  where: [[{ measure: 'safetyOrders', bounds: { min: 1 } }], [{ measure: 'safetyOrders', bounds: { max: 1 } }]],
  search: [
    ...BY_METHOD.filter(({ method }) => method !== 'grid'),
    { ...RANDOM, seed: 2 },
    { ...RANDOM, configs: 41 },
    { ...SCREEN, seed: 2 },
    { ...SCREEN, configs: 41 },
    { ...SCREEN, samples: 9 },
    { ...SCREEN, calibrate: 'off' },
  ],
  tried: [1, 2],
  objective: [
    { ...study.objective, direction: 'minimize' },
    { ...study.objective, metric: 'calmar' },
    { ...study.objective, across: 'worst' },
    { ...study.objective, across: 'mean' },
    { ...study.objective, folds: 'median' },
    { ...study.objective, folds: 'worst' },
    { ...study.objective, where: [{ metric: 'closedDeals', bounds: { min: 1 } }] },
  ],
}

describe('the fingerprint of a study', () => {
  it.each(FIELD_NAMES)('is another one for every other value of %s, each its own', (field) => {
    const others = OTHERS[field].map((value) => studyFingerprint({ ...study, [field]: value }))
    expect(new Set([study.fingerprint, ...others]).size).toBe(others.length + 1)
  })

  it('tells two search methods apart', () => {
    const names = BY_METHOD.map((search) => studyFingerprint({ ...study, search }))
    expect(new Set(names).size).toBe(METHOD_NAMES.length)
    expect(names[METHOD_NAMES.indexOf('grid')]).toBe(study.fingerprint)
  })

  it('stays as it is for a convention that comes later, until a study chooses another value of it', () => {
    const later = (reentry: string) => ({ ...study, conventions: { ...study.conventions, reentry } })
    const terms = { first: ['spacing'], defaults: { spacing: 'from-base', reentry: 'next-candle' } }
    expect(withoutNewDefaults({ spacing: 'from-base', reentry: 'next-candle' }, terms)).toEqual({
      spacing: 'from-base',
    })
    expect(withoutNewDefaults({ spacing: 'from-base', reentry: 'soon' }, terms)).toHaveProperty('reentry', 'soon')
    expect(studyFingerprint(later('same-candle'))).not.toBe(study.fingerprint)
  })
})

describe('the fields of a study file', () => {
  it('are each read by a row', () => {
    const read = new Set(FIELD_NAMES.map((field): string => FIELDS[field].key))
    // One market is a list of one.
    expect([...read, 'name', 'markets'].toSorted()).toEqual(Object.keys(studySchema.shape).toSorted())
  })
})

/** After a change, `npx vitest run --config test/vitest.config.ts test/workbench/study/fields -u` writes the page again. */
it('FIELDS.md is the rows of fields.ts', async () => {
  const rows = FIELD_NAMES.map((field) => {
    const { key, consumers, ...row } = FIELDS[field]
    const name = 'part' in row ? `${key}.${row.part}` : key
    const uses = CONSUMERS.map((who) => (consumers[who] === true ? 'yes' : `no: ${consumers[who]}`))
    return `| \`${name}\` | ${uses.join(' | ')} |`
  })
  const page = `# What is done with the fields of a study

Which command reads which field. A field that a command ignores is ignored for the reason given, not by accident: a test hands each command a study that notes
what is read of it.

| field | ${CONSUMERS.map((who) => `\`${who === 'check' ? 'study check' : who}\``).join(' | ')} |
|---|${CONSUMERS.map(() => '---|').join('')}
${rows.join('\n')}

The fingerprint of a study is made from all of these fields; its name and the text of its file are no part of it, nor are fields that came later where they have
their default. What each field may say is in \`studies/study.schema.json\`.

This table is the rows of \`fields.ts\`, written out; a test keeps both alike.
`
  await expect(page).toMatchFileSnapshot('../../../src/workbench/study/FIELDS.md')
})
