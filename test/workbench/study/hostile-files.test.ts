/** Files that mean harm: bombs, prototype pollution. They are refused before anything is built from them. */
import { describe, expect, it } from 'vitest'
import { parseConfigFile } from '../../../src/workbench/study/config-file.ts'
import { parseStudy } from '../../../src/workbench/study/parse.ts'
import { BOMBS, bombedGrid, GRID_BOMBS } from './bombs.ts'
import { exampleConfig, exampleStudy, problemsOf } from './example.ts'

const file = 'study.yaml'

describe('a bomb', () => {
  it.each(Object.entries(BOMBS))('is refused: %s', (_, text) => {
    expect(problemsOf(() => parseStudy(text, { file })).length).toBeGreaterThan(0)
    expect(problemsOf(() => parseConfigFile(text, { file })).length).toBeGreaterThan(0)
  })

  it.each(Object.entries(GRID_BOMBS))('in a grid is refused: %s', (_, grid) => {
    expect(
      problemsOf(() => parseStudy(bombedGrid(grid), { file })).some(({ message }) => message.startsWith('grid')),
    ).toBe(true)
  })

  it('is described in few words, however many mistakes it holds', () => {
    for (const text of Object.values(BOMBS)) {
      const problems = problemsOf(() => parseStudy(text, { file }))
      expect(problems.length).toBeLessThanOrEqual(101)
      expect(Math.max(...problems.map(({ message }) => message.length))).toBeLessThan(600)
    }
  })
})

const POLLUTION: readonly string[] = [
  '{ "__proto__": { "polluted": true } }',
  '{ "constructor": { "prototype": { "polluted": true } } }',
  '{ "prototype": { "polluted": true } }',
  '{ "name": "a", "__proto__": { "name": "polluted" } }',
  '{ "market": { "__proto__": { "polluted": true } } }',
  '{ "base": { "__proto__": { "takeProfit": 1, "polluted": true } } }',
  '{ "grid": { "__proto__": [1, 2] } }',
  '{ "grid": { "constructor": [1, 2], "toString": [1] } }',
  '{ "where": { "__proto__": { "min": 1 } } }',
  '{ "where": { "hasOwnProperty": { "min": 1 } } }',
  '{ "objective": { "maximize": "__proto__" } }',
  '{ "objective": { "maximize": "constructor", "where": { "__proto__": { "max": 1 } } } }',
  '{ "conventions": { "preset": "__proto__" } }',
  '{ "conventions": { "__proto__": { "intrabar": "optimistic" } } }',
  '{ "costs": { "__proto__": { "feePercent": 0 } } }',
  '? __proto__\n: { polluted: true }',
  '"__\\x70roto__": { polluted: true }',
]

describe('H64: a file that reaches for the prototype of all objects', () => {
  it.each(POLLUTION)('changes nothing and is refused: %s', (payload) => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    expect(problemsOf(() => parseStudy(payload, { file })).length).toBeGreaterThan(0)
    expect(problemsOf(() => parseConfigFile(payload, { file })).length).toBeGreaterThan(0)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('cannot hide a key in an otherwise valid study or config', () => {
    const study = JSON.stringify(exampleStudy({ takeProfit: [1] }))
    const config = JSON.stringify({ config: exampleConfig })
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf']) {
      const [problem] = problemsOf(() => parseStudy(study.replace('{', `{"${key}":{},`), { file }))
      expect(problem).toMatchObject({
        place: 'study.yaml:1:2',
        message: expect.stringContaining(`${key}: unknown key`),
      })
      const [other] = problemsOf(() => parseConfigFile(config.replace('{', `{"${key}":{},`), { file }))
      expect(other).toMatchObject({ place: 'study.yaml:1:2', message: expect.stringContaining(`${key}: unknown key`) })
    }
  })
})

describe('H63: a study that is code', () => {
  it.each([
    'globalThis.ranStudy = true; export default { name: "x" }',
    'module.exports = (() => { globalThis.ranStudy = true })()',
    'name: !!js/function "function () { globalThis.ranStudy = true }"',
    'name: !<tag:yaml.org,2002:js/undefined> ""\nbase: !!js/regexp /x/',
    '{"name": {"toJSON": "function () { globalThis.ranStudy = true }"}}',
  ])('is refused, and not run: %s', (text) => {
    expect(problemsOf(() => parseStudy(text, { file })).length).toBeGreaterThan(0)
    expect(Reflect.get(globalThis, 'ranStudy')).toBeUndefined()
  })
})
