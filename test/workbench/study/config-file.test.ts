import { describe, expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import { parseConfigFile } from '../../../src/workbench/study/config-file.ts'
import { exampleConfig, problemsOf } from './example.ts'

const text = `config: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 1,
          dcaPriceStepMultiplier: 4, dcaVolumeScale: 1.7, takeProfit: 1, stopLoss: 0 }
conventions: { preset: three-commas, safetyOrderSize: 15 }
costs: { feePercent: 0.075, slippagePercent: 0.01 }
symbol: { tick: 0.01, lot: 0.0001, minNotional: 0 }
period: { from: 2025-07-23T02:52:00Z, to: 2025-07-31T02:41:00Z }
`

function parse(source: string, conventions?: string) {
  return parseConfigFile(source, { file: 'bot.yaml', ...(conventions === undefined ? {} : { conventions }) })
}

function placesOf(source: string, conventions?: string): readonly string[] {
  return problemsOf(() => parse(source, conventions)).map(({ place, message }) => `${place} ${message}`)
}

describe('a config file', () => {
  it('says everything one backtest needs', () => {
    expect(parse(text)).toEqual({
      config: {
        ...{ investment: 1000, leverage: 1, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaMaxSafetyOrders: 3 },
        ...{ dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 4, dcaVolumeScale: 1.7, takeProfit: 1, stopLoss: 0 },
      },
      conventions: { ...CONVENTION_PRESETS['three-commas'], safetyOrderSize: 15 },
      costs: { feePercent: 0.075, slippagePercent: 0.01 },
      symbol: { tick: 0.01, lot: 0.0001, minNotional: 0 },
      period: { from: Date.UTC(2025, 6, 23, 2, 52), to: Date.UTC(2025, 6, 31, 2, 41) },
      interval: null,
      market: null,
    })
  })

  it('may hold nothing but the configuration, in JSON too', () => {
    const { leverage, stopLoss, ...required } = exampleConfig
    expect(parse(JSON.stringify({ config: required }))).toEqual({
      config: exampleConfig,
      conventions: CONVENTION_PRESETS.default,
      costs: { feePercent: 0.1, slippagePercent: 0 },
      symbol: null,
      period: null,
      interval: null,
      market: null,
    })
  })

  it('may hold the whole payload of a bot, and then names its market', () => {
    const payload = {
      ...exampleConfig,
      ...{ userEmail: 'a@b.c', name: 'My bot', strategyType: 'DCA_SPOT', isDemo: true },
      ...{ exchange: 'binance', baseAsset: 'ETH', quoteAsset: 'USDT' },
    }
    expect(parse(JSON.stringify({ config: payload }))).toMatchObject({
      config: exampleConfig,
      market: 'binance/ETH-USDT',
    })
  })

  it('gives way to a preset of the command line, but keeps its own overrides', () => {
    const other = text.replace('preset: three-commas', 'preset: default, intrabar: optimistic')
    expect(parse(other, 'three-commas').conventions).toEqual({
      ...CONVENTION_PRESETS['three-commas'],
      ...{ safetyOrderSize: 15, intrabar: 'optimistic' },
    })
    const plain = text.replace(/conventions: .*\n/, 'conventions: three-commas\n')
    expect(parse(plain, 'default').conventions).toEqual(CONVENTION_PRESETS.default)
  })

  it('is refused with every problem and its place', () => {
    const wrong = [
      'config: { investment: "1000", dcaMaxSafetyOrders: 2.5, leverage: 2, takeProft: 1, isDemo: no, strategyType: GRID }',
      'conventions: three-commas',
      'costs: { feePercent: 60 }',
      'symbol: { tik: 0.01, lot: -1 }',
      'period: { from: 2025-07-31, to: 2025-07-23 }',
      'grid: { takeProfit: [1, 2] }',
    ].join('\n')
    expect(placesOf(wrong)).toMatchInlineSnapshot(`
      [
        "bot.yaml:1:1 config.dcaTotalBudget: expected a number, found nothing",
        "bot.yaml:1:1 config.dcaInitialOrderSize: expected a number, found nothing",
        "bot.yaml:1:1 config.dcaPriceScalePercent: expected a number, found nothing",
        "bot.yaml:1:1 config.dcaVolumeScale: expected a number, found nothing",
        "bot.yaml:1:1 config.dcaPriceStepMultiplier: expected a number, found nothing",
        "bot.yaml:1:1 config.takeProfit: expected a number, found nothing",
        "bot.yaml:1:23 config.investment: expected a number, found "1000"; write it without quotes",
        "bot.yaml:1:51 config.dcaMaxSafetyOrders: expected a whole number, found 2.5",
        "bot.yaml:1:66 config.leverage: expected 1, found 2",
        "bot.yaml:1:69 config.takeProft: unknown key; did you mean takeProfit?",
        "bot.yaml:1:91 config.isDemo: expected true or false, found "no"",
        "bot.yaml:1:109 config.strategyType: expected one of DCA_SPOT, found "GRID"",
        "bot.yaml:2:1 conventions.safetyOrderSize: required where safetyOrderSizing is explicit: the quote size of the first safety order",
        "bot.yaml:3:22 costs.feePercent: expected a number of percent from 0 to below 50, such as 0.1, found 60",
        "bot.yaml:4:11 symbol.tik: unknown key; did you mean tick?",
        "bot.yaml:4:27 symbol.lot: expected at least 0, found -1",
        "bot.yaml:5:33 period.to: expected an instant after from (2025-07-31T00:00:00.000Z), found 2025-07-23T00:00:00.000Z",
        "bot.yaml:6:1 grid: a config file holds one configuration; a study file holds a grid (\`dcalab study init\`)",
      ]
    `)
  })

  it('is refused where a preset of the command line needs what the file does not say', () => {
    expect(placesOf(JSON.stringify({ config: exampleConfig }), 'three-commas')).toEqual([
      'bot.yaml:1:1 conventions.safetyOrderSize: required where safetyOrderSizing is explicit: the quote size of the first safety order',
    ])
    expect(() => parse(text, '3commas')).toThrow(
      '--conventions: expected one of default, three-commas, found "3commas"',
    )
  })

  it('ends with exit code 2 as configInvalid', () => {
    expect(() => parse('')).toThrow(expect.objectContaining({ code: 'configInvalid', exitCode: 2 }))
  })
})
