/** What it takes to add a convention, and what stops a half-done one. */
import { describe, expect, it } from 'vitest'
import { ENGINES, findIdleValues } from '../engine/obedience.ts'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap, isFile } from './map.ts'
import { compileErrors } from './mutant.ts'

const FILES = [
  'src/engine/conventions.ts', // its row: values, presets, what each means, who does it
  'src/engine/levels.ts', // what obeys it, in all engines at once; a choice about the walk lies in each engine instead
  'test/engine/naive-bot.ts', // the rules once more, in other words
  'test/engine/levels.test.ts', // a vector of a platform
]

const row = `  reentry: choice({
    question: 'When does the next deal open?',
    readings: { 'next-candle': { meaning: 'a', platforms: [] }, 'same-candle': { meaning: 'b', platforms: [] } },
    presets: { default: 'next-candle', 'three-commas': 'next-candle' },
  }),
`
const edit = (added: string) => ({
  file: 'src/engine/conventions.ts',
  find: '  intrabar: choice({',
  replace: `${added}  intrabar: choice({`,
})

describe('a new convention', () => {
  it('takes these files, as the map says', () => {
    expect(filesOnTheMap('a convention')).toEqual(FILES)
    expect(FILES.length).toBeLessThanOrEqual(4)
    expect(FILES.filter((file) => !isFile(file))).toEqual([])
  })

  it.runIf(inTurn(isLong, import.meta.url))(
    'that one row says whole compiles: types, schemas and presets follow from it',
    async () => {
      expect(await compileErrors([edit(row)])).toEqual([])
    },
  )

  it.runIf(inTurn(isLong, import.meta.url))('without its value in a preset does not compile', async () => {
    const errors = await compileErrors([edit(row.replace(", 'three-commas': 'next-candle'", ''))])
    expect(errors.join('\n')).toMatch(/^src\/engine\/conventions\.ts.*three-commas.*missing/)
  })

  it.each(Object.entries(ENGINES))('that the %s engine does not obey breaks the law of conventions', (_, run) => {
    expect(findIdleValues(run, 'reentry', ['next-candle', 'same-candle'])).toEqual([['next-candle', 'same-candle']])
  })
})
