/** The list of doubts. After a change of it, `npx vitest run --config test/vitest.config.ts test/workbench/analysis/doubts -u` writes its page again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DOUBTS, doubt, readKeptDoubts } from '../../../../src/workbench/analysis/doubts/doubts.ts'
import { EXAMINATION_DOUBTS } from '../../../../src/workbench/analysis/doubts/examination-rows.ts'
import { RESULT_DOUBTS } from '../../../../src/workbench/analysis/doubts/result-rows.ts'
import type { DoubtRow } from '../../../../src/workbench/analysis/doubts/row.ts'
import { RUN_DOUBTS } from '../../../../src/workbench/analysis/doubts/run-rows.ts'
import { STUDY_DOUBTS } from '../../../../src/workbench/analysis/doubts/study-rows.ts'

const src = fileURLToPath(new URL('../../../../src', import.meta.url))
const kinds: readonly [title: string, rows: Readonly<Record<string, DoubtRow<never>>>][] = [
  ['Of a study, before anything is spent', STUDY_DOUBTS],
  ['Of a result, and of choosing it', RESULT_DOUBTS],
  ['Of a result that was examined', EXAMINATION_DOUBTS],
  ['Of a run, while it goes on', RUN_DOUBTS],
]
const rows = kinds.flatMap(([, each]) => Object.entries(each))

it('DOUBTS.md is the list, written out', async () => {
  await expect(page()).toMatchFileSnapshot('../../../../src/workbench/analysis/DOUBTS.md')
})

it('no code stands twice', () => {
  expect(rows.map(([code]) => code)).toEqual(Object.keys(DOUBTS))
})

it('every doubt of the list is raised somewhere', () => {
  const raising = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(src, name), 'utf8'))
    .filter((text) => /^import.*\/doubts\.ts'|import\('.*\/doubts\.ts'\)/m.test(text))
    .join('\n')
  // doubt('noTrials', …), or a table of codes: { code: 'cutByStop', … }.
  const silent = rows.filter(([code]) => !new RegExp(`(?:\\bdoubt\\(\\s*|: )'${code}'`).test(raising))
  expect(silent.map(([code]) => code)).toEqual([])
})

it.each(rows)(
  '%s says when it is raised and what to do, with the number that decides',
  (_, { when, hint, threshold }) => {
    expect(when).not.toBe('')
    expect(hint).not.toBe('')
    if (threshold !== undefined) expect(when).toContain(String(threshold))
  },
)

describe('the few words of a doubt', () => {
  it('hold the number that says most', () => {
    expect(doubt('fewDeals', { closedDeals: 41, sampleSize: null }).short).toBe('41 deals')
    expect(doubt('withinNoise', { gap: 15.88, noise: 42.46 }).short).toBe('ahead by 15.88, within chance')
    expect(doubt('followsCapital', { r: 0.9124 }).short).toBe('profit grows with the capital in use, r .91')
    expect(doubt('rankDoesNotLast', { rho: -0.2478, n: 105 }).short).toBe('a good rank did not last from half to half')
    expect(doubt('edge', { edges: ['takeProfit'], axes: 5 }).short).toBe('1 of 5 fields at the end of what was tried')
  })

  it('tell what both sides of a small move lose, where both lose', () => {
    const move = { field: 'takeProfit', value: 2.9, from: 3, netProfit: 180, lossPercent: 19.2 } as const
    expect(doubt('sensitive', { ...move, otherLossPercent: 12.6 }).short).toBe('takeProfit ±0.1: 13–19 % less profit')
    expect(doubt('sensitive', { ...move, otherLossPercent: null }).short).toBe('takeProfit 2.9: 19 % less profit')
  })

  it('of doubts that an older program kept are what it found, in its sentence', () => {
    const kept = {
      code: 'directionOnly',
      weight: 'info',
      message: 'the market rose by 76 %: a winner of',
      hint: 'test',
    }
    const edge = { ...kept, code: 'edge', message: 'it lies at the edge in 4 of 5 fields (takeProfit): what lies' }
    const found = readKeptDoubts([kept, edge]).map(({ short }) => short)
    expect(found).toEqual(['the market rose by 76 %', 'it lies at the edge in 4 of 5 fields'])
  })
})

describe('generated candles', () => {
  it('are a warning on our own service, which says that it simulates', () => {
    expect(doubt('syntheticCandles', { simulated: true })).toMatchObject({ weight: 'warn' })
  })

  it('stop a promotion on any other, where nobody expects them', () => {
    expect(doubt('syntheticCandles', { simulated: false })).toEqual({
      code: 'syntheticCandles',
      weight: 'block',
      message: 'its market is generated, not real',
      short: 'generated market',
      hint: 'test it on recorded candles',
    })
  })
})

function page(): string {
  return `# Doubts

What speaks against believing a study, a result or a run. A doubt forbids nothing: \`info\` is worth knowing, \`warn\` is worth a second look, and \`block\` stops
\`dcalab promote\` until it is accepted by its code (\`--accept CODE\`); \`--yes\` accepts the other two. \`study check\` shows them as \`warnings\`, \`promote\` and
\`show\` as \`doubts\`, \`run\`, \`screen\` and \`leaderboard\` as notes. Those of an examination are raised by \`dcalab examine\` and kept with it:
\`show\`, \`leaderboard\`, \`run\`, the report and \`promote\` name those of the last one. Each has its sentence and a few words with the number that says
most, which JSON calls \`message\` and \`short\`: the chips of the report, \`show\`, \`leaderboard\` and \`run\` say the few words.

${kinds.map(([title, each]) => `## ${title}\n\n${table(Object.entries(each))}`).join('\n\n')}

These tables are the rows of \`doubts/\`, written out; a test keeps both alike.
`
}

function table(each: readonly [code: string, row: DoubtRow<never>][]): string {
  const lines = each.map(([code, { weight, block, when, hint }]) => {
    const weights = block === undefined ? weight : `${weight}; block ${block.when}`
    return `| \`${code}\` | ${weights} | ${when} | ${hint} |`
  })
  return ['| code | weight | raised when | what to do |', '|---|---|---|---|', ...lines].join('\n')
}
