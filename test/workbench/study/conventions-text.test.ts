/** Conventions by themselves, as `serve --conventions` takes them: read as a study reads its own. */
import { describe, expect, it } from 'vitest'
import { CONVENTION_PRESETS } from '../../../src/engine/conventions.ts'
import { parseConventions } from '../../../src/workbench/study/conventions-text.ts'
import { problemsOf } from './example.ts'

const parse = (text: string) => parseConventions(text, { place: '--conventions', subject: 'the flag cannot be used' })
const problemsIn = (text: string) => problemsOf(() => parse(text)).map(({ place, message }) => `${place} ${message}`)

describe('conventions as a text', () => {
  it.each(['{ preset: three-commas, safetyOrderSize: 15 }', '{"preset":"three-commas","safetyOrderSize":15}'])(
    'are a preset with overrides, in YAML and in JSON: %s',
    (text) => {
      expect(parse(text)).toEqual({ ...CONVENTION_PRESETS['three-commas'], safetyOrderSize: 15 })
    },
  )

  it('are a preset by its name', () => {
    expect(parse('default')).toEqual(CONVENTION_PRESETS.default)
  })

  it('are refused when a preset leaves open what only the reader knows', () => {
    expect(problemsIn('three-commas')).toEqual([
      '--conventions:1:1 safetyOrderSize: required where safetyOrderSizing is explicit: the quote size of the first safety order',
    ])
  })

  it('are refused with all of their problems at once, a missing size among them', () => {
    expect(problemsIn('{ preset: three-commas, spacing: sideways, intrabr: worst }')).toEqual([
      '--conventions:1:1 safetyOrderSize: required where safetyOrderSizing is explicit: the quote size of the first safety order',
      '--conventions:1:34 spacing: expected one of from-base, from-previous, found "sideways"',
      '--conventions:1:44 intrabr: unknown key; did you mean intrabar?',
    ])
  })

  it.each([
    ['three-comas', 'conventions: expected a preset (default, three-commas) or a mapping'],
    ['', 'conventions: expected a preset (default, three-commas) or a mapping'],
    ['{ preset: default, safetyOrderSize: 15 }', 'has no effect where safetyOrderSizing is scaled-from-base'],
    ['{ preset: three-commas, safetyOrderSize: -1 }', 'expected a quote amount above 0, found -1'],
    ['{ preset: three-commas, safetyOrderSize: "15" }', 'expected a number, found "15"; write it without quotes'],
    ['{ conventions: default }', 'leave it out and give its value'],
    ['{ preset: default', 'not YAML'],
  ])('%j is refused with what was expected', (text, words) => {
    const problems = problemsIn(text)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(words)
  })
})
