import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { replaceMappings } from '../../../src/workbench/study/rewrite-source.ts'
import { projectRoot } from '../../support/dcalab.ts'

const costs = { feePercent: 0.075, slippagePercent: 0 }
const conventions = { preset: 'default', spacing: 'from-previous' }

describe('replacing mappings of a study file', () => {
  it.each([
    ['a mapping on one line', 'costs: { feePercent: 0.1 }   # what it costs\nb: 1\n', '   # what it costs\nb: 1\n'],
    ['a word', 'costs: default\t# what it costs\r\nb: 1\r\n', '\t# what it costs\r\nb: 1\r\n'],
    ['nothing', 'costs:\nb: 1\n', '\nb: 1\n'],
    ['a mapping over lines', 'costs:\n  feePercent: 0.1 # exchange\n\n# next\nb: [1,2]\n', '\n\n# next\nb: [1,2]\n'],
    ['a mapping over lines at the end', 'costs:\n  feePercent: 0.1', ''],
  ])('changes %s and nothing else', (_, text, rest) => {
    const before = '# a study\nname:   x\n'
    expect(replaceMappings(before + text, { costs })).toBe(
      `${before}costs: { feePercent: 0.075, slippagePercent: 0 }${rest}`,
    )
  })

  it('adds a mapping at the end of a file that has none', () => {
    for (const [text, line] of [
      ['name: x # a\n', '\n'],
      ['name: x # a', '\n'],
      ['name: x # a\r\n', '\r\n'],
    ]) {
      expect(replaceMappings(text, { costs })).toBe(
        `name: x # a${line}costs: { feePercent: 0.075, slippagePercent: 0 }${line}`,
      )
    }
  })

  it('leaves JSON what it is', () => {
    const text = '{\n  "name": "x",\n  "costs": { "feePercent": 1 }\n}\n'
    const replaced = replaceMappings(text, { costs, conventions })
    expect(JSON.parse(replaced)).toEqual({ name: 'x', costs, conventions })
    expect(replaced.startsWith('{\n  "name": "x",\n  "costs": {')).toBe(true)
    expect(parse(replaceMappings('{ name: x, }', { costs }))).toEqual({ name: 'x', costs })
  })

  it.each(['btc-may-2021', 'demo', 'screen-btc-may-2021'])('keeps every other line of %s', (name) => {
    const text = readFileSync(join(projectRoot, `studies/${name}.yaml`), 'utf8')
    const replaced = replaceMappings(text, { costs, conventions })
    expect(parse(replaced)).toEqual({ ...parse(text), costs, conventions })
    const others = (of: string) => of.split('\n').filter((line) => !/^(costs|conventions):/.test(line))
    expect(others(replaced)).toEqual(others(text))
  })
})
