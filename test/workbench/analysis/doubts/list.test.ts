/** The list of warnings. After a change of it, `npx vitest run --config test/vitest.config.ts test/workbench/analysis/doubts -u` writes its page again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { DOUBTS } from '../../../../src/workbench/analysis/doubts/doubts.ts'
import type { DoubtRow } from '../../../../src/workbench/analysis/doubts/row.ts'
import { RUN_DOUBTS } from '../../../../src/workbench/analysis/doubts/run-rows.ts'
import { STUDY_DOUBTS } from '../../../../src/workbench/analysis/doubts/study-rows.ts'

const src = fileURLToPath(new URL('../../../../src', import.meta.url))
const kinds: readonly [title: string, rows: Readonly<Record<string, DoubtRow<never>>>][] = [
  ['Of a study, said once', STUDY_DOUBTS],
  ['Of a run, while it goes on', RUN_DOUBTS],
]
const rows = kinds.flatMap(([, each]) => Object.entries(each))

it('DOUBTS.md is the list, written out', async () => {
  await expect(page()).toMatchFileSnapshot('../../../../src/workbench/analysis/DOUBTS.md')
})

it('no code stands twice', () => {
  expect(rows.map(([code]) => code)).toEqual(Object.keys(DOUBTS))
})

it('every warning of the list is raised somewhere', () => {
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

function page(): string {
  return `# Warnings

What speaks against a study, or a run of it, whatever it finds: \`study check\` and "About this study" list those of a study, \`run\` says its own once. Each
has its code, a sentence with its numbers, and what to do. What speaks against a result is a reason of its verdict: \`dcalab verdict\`, \`verdict/reasons.ts\`.

${kinds.map(([title, each]) => `## ${title}\n\n${table(Object.entries(each))}`).join('\n\n')}

These tables are the rows of \`doubts/\`, written out; a test keeps both alike.
`
}

function table(each: readonly [code: string, row: DoubtRow<never>][]): string {
  const lines = each.map(([code, { when, hint }]) => `| \`${code}\` | ${when} | ${hint} |`)
  return ['| code | raised when | what to do |', '|---|---|---|', ...lines].join('\n')
}
