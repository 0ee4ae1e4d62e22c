import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import { configFingerprint, settingsFingerprint, trialFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { anyConfig, type Data, exampleConfig, exampleStudy, parseData, writeYaml } from './example.ts'

/** 10,000 were run once; the law does not need them every day. */
const RUNS = 200

const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
const period = { from: Date.UTC(2021, 3, 21), to: Date.UTC(2021, 4, 19) }

function fingerprint(config: DcaSpotConfig): string {
  return trialFingerprint({ market, period, config })
}

/** Which fields can matter, said once more in other words than the program's. */
function meaning(config: DcaSpotConfig): Data {
  const { dcaMaxSafetyOrders: orders } = config
  const matters = (field: ConfigField) => {
    if (field === 'dcaPriceScalePercent' || field === 'dcaVolumeScale') return orders >= 1
    return field === 'dcaPriceStepMultiplier' ? orders >= 2 : true
  }
  return CONFIG_FIELDS.map((field) => (matters(field) ? config[field] : null))
}

/** Half of the pairs differ in one field only, where a mistake would hide. */
const configPairs = fc.oneof(
  fc.tuple(anyConfig, anyConfig),
  fc
    .tuple(anyConfig, anyConfig, fc.constantFrom(...CONFIG_FIELDS))
    .map(([one, other, field]): [DcaSpotConfig, DcaSpotConfig] => [one, { ...one, [field]: other[field] }]),
)

describe('the fingerprint of a trial', () => {
  it('is the same exactly when what can matter is the same', () => {
    fc.assert(
      fc.property(configPairs, ([one, other]) => {
        expect(fingerprint(one) === fingerprint(other)).toBe(
          JSON.stringify(meaning(one)) === JSON.stringify(meaning(other)),
        )
      }),
      { numRuns: 10 * RUNS },
    )
  })

  it('does not depend on the order of keys, on -0, or on fields that no configuration has', () => {
    fc.assert(
      fc.property(
        anyConfig,
        fc.shuffledSubarray([...CONFIG_FIELDS], { minLength: CONFIG_FIELDS.length }),
        (config, order) => {
          const shuffled = Object.fromEntries(order.map((field) => [field, config[field]])) as unknown as DcaSpotConfig // same fields
          expect(fingerprint(shuffled)).toBe(fingerprint(config))
          expect(fingerprint({ ...config, stopLoss: -0 })).toBe(fingerprint({ ...config, stopLoss: 0 }))
          expect(fingerprint({ ...config, ...{ isDemo: true } })).toBe(fingerprint(config))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('tells markets and periods apart', () => {
    const others = [
      { market: { ...market, exchange: 'okx' }, period },
      { market: { ...market, baseAsset: 'ETH' }, period },
      { market: { ...market, quoteAsset: 'USDC' }, period },
      { market, period: { ...period, from: period.from + 1 } },
      { market, period: { ...period, to: period.to - 1 } },
    ].map((place) => trialFingerprint({ ...place, config: exampleConfig }))
    expect(new Set([...others, fingerprint(exampleConfig)]).size).toBe(6)
  })

  // Computed once with Python: sha256(json.dumps({config, market, period}, sort_keys=True, separators=(",", ":"))), numbers as text.
  it('never changes: stores hold results under these names', () => {
    expect(fingerprint(exampleConfig)).toBe('43c1bc9a5e6b62b8e1a4c90b74452789278b976ea373b07ddca3d4ef806fd0f9')
    expect(fingerprint({ ...exampleConfig, dcaMaxSafetyOrders: 0 })).toBe(
      'a2945a5564cf7bf7e12533ee0e000dbfcceb7f5418ac7870a2dfaeef2c29364d',
    )
    expect(fingerprint({ ...exampleConfig, dcaMaxSafetyOrders: 1, takeProfit: 1e-7 })).toBe(
      '65f68fd9a8a31b619f09b29e7e3ee295dbc0bb63f51ceca46ab670b5bc52e0f3',
    )
  })
})

describe('the fingerprint of a study', () => {
  const data = exampleStudy(
    {
      dcaMaxSafetyOrders: [0, 1, 4],
      dcaPriceScalePercent: { from: 0.5, to: 1.5, step: 0.5 },
      takeProfit: [0.5, 1, 2.25],
    },
    {
      costs: { feePercent: 0.1, slippagePercent: 0 },
      where: { ladderCost: { max: 1000 }, ladderDepthPercent: { min: 0, max: 40 } },
      objective: { maximize: 'roiPercent', where: { closedDeals: { min: 30 }, maxDrawdownPercent: { max: 30.5 } } },
      conventions: { preset: 'default', intrabar: 'candle-colour' },
    },
  )
  const study = parseData(data)

  it('is the same however the file is written: order of keys, block or flow, YAML or JSON, 1 or 1.0', () => {
    const names = planTrials(study).trials.map((trial) => trial.fingerprint)
    fc.assert(
      fc.property(fc.gen(), (random) => {
        const written = parseStudy(writeYaml(data, random), { file: 'study.yaml' })
        expect(written.fingerprint).toBe(study.fingerprint)
        // The same trials, each paid for once; the order of the axes is the file's.
        expect(
          planTrials(written)
            .trials.map((trial) => trial.fingerprint)
            .sort(),
        ).toEqual(names.toSorted())
      }),
      { numRuns: RUNS },
    )
  })

  it('is the same with a list for a range, values in another order, and defaults written out', () => {
    const { base, grid, ...rest } = data as Record<string, Record<string, Data>> // an example is nested mappings
    const { leverage, stopLoss, ...constants } = base
    const other = {
      ...rest,
      base: constants,
      grid: { ...grid, dcaPriceScalePercent: [1.5, 0.5, 1], dcaMaxSafetyOrders: [4, 0, 1] },
      search: { method: 'grid' },
      costs: {},
      name: 'another-name',
    }
    expect(parseData(other).fingerprint).toBe(study.fingerprint)
  })

  it('differs when the study asks something else', () => {
    const grid = { takeProfit: [1, 2] }
    const studies = [
      exampleStudy(grid),
      exampleStudy({ takeProfit: [1, 3] }),
      exampleStudy({ ...grid, stopLoss: [0, 20] }),
      exampleStudy(grid, { market: { exchange: 'okx', baseAsset: 'BTC', quoteAsset: 'USDT' } }),
      exampleStudy(grid, { period: { from: '2021-04-21', to: '2021-05-18' } }),
      exampleStudy(grid, { interval: '1m' }),
      exampleStudy(grid, { costs: { feePercent: 0.2 } }),
      exampleStudy(grid, { where: { safetyOrders: { min: 1 } } }),
      exampleStudy(grid, { where: { safetyOrders: { max: 1 } } }),
      exampleStudy(grid, { objective: { maximize: 'roiPercent' } }),
      exampleStudy(grid, { objective: { minimize: 'netProfit' } }),
      exampleStudy(grid, { objective: { maximize: 'netProfit', where: { closedDeals: { min: 1 } } } }),
      exampleStudy(grid, { conventions: { intrabar: 'optimistic' } }),
    ].map((other) => parseData(other).fingerprint)
    expect(new Set(studies).size).toBe(studies.length)
  })
})

describe('names that stores hold', () => {
  it('of a configuration alone stays what it is, whatever has no effect', () => {
    const name = configFingerprint(exampleConfig)
    expect(name).toBe('85f1885156b01061a5eebfd69862f32289dbcbd15cbd874a10ad1d7ab35f9650')
    const plain = { ...exampleConfig, dcaMaxSafetyOrders: 0 }
    expect(configFingerprint({ ...plain, dcaVolumeScale: 9 })).toBe(configFingerprint(plain))
  })

  it('of settings stays what it is, and a convention that came later changes it only where it is not the default', () => {
    const conventions = { ...CONVENTION_PRESETS.default }
    const settings = {
      interval: '1m',
      costs: { feePercent: 0.1, slippagePercent: 0 },
      symbol: { tick: 0.01, lot: null, minNotional: 10 },
    }
    const name = settingsFingerprint({ ...settings, conventions })
    expect(name).toBe('b91a921aadfb7613b9bff39b6a80e7d39ff9715732d16705c2613ee923ca1f4a')
    expect(settingsFingerprint({ interval: null, conventions: null, costs: null, symbol: null })).toBe(
      '37f4ffeb4cb52947a57525abca2e8386124e34a07defbca6ef6932adc571d253',
    )
    expect(settingsFingerprint({ ...settings, conventions: { ...conventions, intrabar: 'optimistic' } })).not.toBe(name)
  })
})
