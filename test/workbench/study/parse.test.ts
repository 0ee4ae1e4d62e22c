import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { isStudyName, parseStudy } from '../../../src/workbench/study/parse.ts'
import { exampleStudy, parseData, problemsOf } from './example.ts'
import { WRONG_STUDIES } from './wrong-studies.ts'

describe('a wrong study', () => {
  it('is told what is wrong and where, for each of many mistakes', async () => {
    const chapters = WRONG_STUDIES.map(({ title, change, text }) => {
      const problems = problemsOf(() => parseStudy(text, { file: 'study.yaml' }))
      const shown = change.split('\n').map((line) => `    ${line}`)
      return [title, ...shown, ...problems.map(({ place, message }) => `${place}  ${message}`), ''].join('\n')
    })
    await expect(chapters.join('\n')).toMatchFileSnapshot('../../golden/wrong-studies.txt')
  })

  it('is told everything at once, in the order of the file', () => {
    const text = [
      'name: BTC',
      'period: { from: 2021-05-19, to: 2021-04-21 }',
      'base: { investment: "1", takeProfit: 1 }',
      'grid: { takeProfit: [1, 1], dcaVolumeScale: { from: 1, to: 2, step: 0.3 } }',
      'where: { rungz: { min: 1 } }',
    ].join('\n')
    const problems = problemsOf(() => parseStudy(text, { file: 'study.yaml' }))
    expect(problems.map(({ place, message }) => `${place} ${message.split(':')[0]}`)).toEqual([
      'study.yaml:1:1 market',
      'study.yaml:1:7 name',
      'study.yaml:2:33 period.to',
      'study.yaml:3:1 base.dcaTotalBudget',
      'study.yaml:3:1 base.dcaInitialOrderSize',
      'study.yaml:3:1 base.dcaMaxSafetyOrders',
      'study.yaml:3:1 base.dcaPriceScalePercent',
      'study.yaml:3:1 base.dcaPriceStepMultiplier',
      'study.yaml:3:21 base.investment',
      'study.yaml:4:9 grid.takeProfit',
      'study.yaml:4:25 grid.takeProfit.1',
      'study.yaml:4:60 grid.dcaVolumeScale.to',
      'study.yaml:5:10 where.rungz',
    ])
  })

  it('ends with exit code 2 and says how many problems there are', () => {
    const parse = () => parseStudy('name: BTC', { file: 'study.yaml' })
    expect(parse).toThrow(Failure)
    expect(parse).toThrow(expect.objectContaining({ code: 'studyInvalid', exitCode: 2 }))
    expect(parse).toThrow('study.yaml is not a valid study: 4 problems')
  })

  it('names the place within the text, whatever line endings it has', () => {
    for (const newline of ['\n', '\r\n']) {
      const text = ['# first', '', 'name: fine', 'market:', '  exchange: Binance'].join(newline)
      const places = problemsOf(() => parseStudy(text, { file: 's.yaml' })).map(({ place }) => place)
      expect(places).toContain('s.yaml:5:13')
    }
  })
})

describe('a valid study', () => {
  it('has its defaults filled in', () => {
    expect(parseData(exampleStudy({ takeProfit: [1, 2] }))).toMatchObject({
      interval: null,
      costs: { feePercent: 0.1, slippagePercent: 0 },
      conventions: { safetyOrderSizing: 'scaled-from-base', intrabar: 'pessimistic' },
      where: [],
      objective: {
        direction: 'maximize',
        metric: 'stressedPerUsed',
        where: [{ metric: 'timeInDealPercent', bounds: { min: 95 } }],
      },
      base: { leverage: 1, stopLoss: 0 },
    })
  })

  it('keeps the text it was read from', () => {
    const text = `# a question\n${JSON.stringify(exampleStudy({ takeProfit: [1] }))}`
    expect(parseStudy(text, { file: 'study.yaml' }).source).toBe(text)
  })

  it('means the same instant by a date, an instant and an offset', () => {
    const periods = [
      { from: '2021-04-21', to: '2021-05-19' },
      { from: '2021-04-21T00:00Z', to: '2021-05-19T00:00:00.000Z' },
      { from: '2021-04-21T02:00:00+02:00', to: '2021-05-18T18:30-05:30' },
    ].map((period) => parseData(exampleStudy({ takeProfit: [1] }, { period })).period)
    const expected = { from: Date.UTC(2021, 3, 21), to: Date.UTC(2021, 4, 19) }
    expect(periods).toEqual([expected, expected, expected])
  })

  it('may have any instant of the calendar, to the millisecond', () => {
    const instants = fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9998-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(instants, (from) => {
        const period = { from: from.toISOString(), to: '9999-12-31' }
        expect(parseData(exampleStudy({ takeProfit: [1] }, { period })).period.from).toBe(from.getTime())
      }),
    )
  })

  it('may be JSON indented by tabs', () => {
    const text = JSON.stringify(exampleStudy({ takeProfit: [1, 2] }), null, '\t')
    expect(parseStudy(text, { file: 'study.json' }).axes).toEqual([{ field: 'takeProfit', values: [1, 2] }])
  })
})

describe('the name of a study', () => {
  it('can be the name of a file on any system, in the folder it is meant for', () => {
    const good = ['a', 'btc-may-2021', '0', 'a'.repeat(64), 'con-1', 'com']
    const bad = [
      '',
      '-a',
      'A',
      'a_b',
      'a.b',
      '..',
      '.',
      'a/b',
      'a\\b',
      'a b',
      'a\n',
      'con',
      'nul',
      'aux',
      'prn',
      'com1',
      'lpt9',
      'a'.repeat(65),
      'é',
      'a\0',
    ]
    expect(good.filter((name) => !isStudyName(name))).toEqual([])
    expect(bad.filter((name) => isStudyName(name))).toEqual([])
  })
})
