/** The example studies, the starter file and the JSON Schema: what a newcomer meets first. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findStudyWarnings, surveyStudy } from '../../../src/workbench/analysis/warnings/find-in-study.ts'
import { parseConfigFile } from '../../../src/workbench/study/config-file.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import { studyJsonSchema } from '../../../src/workbench/study/schema.ts'
import { starterStudy } from '../../../src/workbench/study/starter.ts'

const folder = new URL('../../../studies/', import.meta.url)

function readStudy(name: string) {
  const file = `${name}.yaml`
  return parseStudy(readFileSync(new URL(file, folder), 'utf8'), { file })
}

describe('an example study', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  const studies = files.map((name) => name.replace('.yaml', '')).filter((name) => name !== 'three-commas-eth')

  it.each(studies)('%s is valid, is named like its file, and earns no warning but of its length', (name) => {
    const study = readStudy(name)
    expect(study.name).toBe(name)
    expect(study.source.split('\n')[0]).toBe('# yaml-language-server: $schema=./study.schema.json')
    const codes = surveyStudy(study).warnings.map(({ code }) => code)
    // A screen may look at stops inside the ladder too; a study that pays for its trials should not.
    const ofLadders = name.startsWith('screen-') ? ['forScreening', 'cutByStop'] : []
    expect(codes.filter((code) => code !== 'shortPeriod')).toEqual(ofLadders)
    expect(codes.includes('shortPeriod')).toBe(name.endsWith('btc-may-2021')) // the four weeks of the crash
  })

  it.each(studies)('%s is small enough to be run, unless it is made for screening', (name) => {
    expect(surveyStudy(readStudy(name)).tooManyToRun).toBe(name.startsWith('screen-'))
  })

  it('demo leaves a part of the day’s allowance unspent and covers 60 days of a synthetic market', () => {
    const study = readStudy('demo')
    const plan = planTrials(study)
    expect(plan).toMatchObject({ grid: 96, breaksLimit: 24, duplicates: 0 })
    expect(plan.trials.length).toBe(72)
    expect(study.markets[0]).toEqual({ exchange: 'synthetic', baseAsset: 'DEMO', quoteAsset: 'USDT' })
    expect((study.period.to - study.period.from) / 86_400_000).toBe(60)
  })

  it('btc-may-2021 has 96 trials over five axes', () => {
    const study = readStudy('btc-may-2021')
    expect(study.axes.length).toBe(5)
    expect(planTrials(study)).toMatchObject({ grid: 144, breaksLimit: 48, duplicates: 0, trials: { length: 96 } })
  })

  it('three-commas-eth is a config for one backtest', () => {
    const file = 'three-commas-eth.yaml'
    expect(parseConfigFile(readFileSync(new URL(file, folder), 'utf8'), { file })).toMatchObject({
      conventions: { safetyOrderSizing: 'explicit', safetyOrderSize: 15 },
      market: 'binance/ETH-USDT',
    })
  })
})

describe('the starter file', () => {
  it('is a valid study of the name asked for, without a warning', () => {
    const study = parseStudy(starterStudy('my-ladder'), { file: 'my-ladder.yaml' })
    expect(study.name).toBe('my-ladder')
    const plan = planTrials(study)
    expect(plan.trials.length).toBe(36)
    expect(findStudyWarnings(study, plan)).toEqual([])
  })
})

describe('the JSON Schema', () => {
  const schema = JSON.parse(readFileSync(new URL('study.schema.json', folder), 'utf8'))

  it('in studies/ is the one the program makes: `dcalab study schema > studies/study.schema.json`', () => {
    expect(studyJsonSchema()).toEqual(schema)
  })

  it('describes every part of a study to an editor, and allows no other key', () => {
    expect(schema).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', additionalProperties: false })
    expect(schema.required).toEqual(['name', 'period', 'grid'])
    for (const part of [
      'name',
      'market',
      'markets',
      'validate',
      'period',
      'interval',
      'costs',
      'base',
      'grid',
      'where',
      'search',
      'objective',
      'conventions',
    ]) {
      expect(schema.properties[part].description, part).toBeTruthy()
    }
    expect(schema.properties.base.properties.dcaMaxSafetyOrders).toMatchObject({
      type: 'integer',
      minimum: 0,
      maximum: 100,
    })
    expect(schema.properties.validate.properties.walkForward.required).toEqual(['train', 'test'])
  })
})
