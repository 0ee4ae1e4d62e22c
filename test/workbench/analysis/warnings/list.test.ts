/** The list of warnings. After a change of it, `npx vitest run --config test/vitest.config.ts test/workbench/analysis/warnings -u` writes its page again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { WarningRow } from '../../../../src/workbench/analysis/warnings/warnings.ts'
import { RUN_WARNINGS, STUDY_WARNINGS, WARNINGS } from '../../../../src/workbench/analysis/warnings/warnings.ts'

const src = fileURLToPath(new URL('../../../../src', import.meta.url))
const kinds: readonly [title: string, rows: Readonly<Record<string, WarningRow<never>>>][] = [
  ['Of a study, said once', STUDY_WARNINGS],
  ['Of a run, while it goes on', RUN_WARNINGS],
]
const rows = kinds.flatMap(([, each]) => Object.entries(each))

it('WARNINGS.md is the list, written out', async () => {
  await expect(page()).toMatchFileSnapshot('../../../../src/workbench/analysis/WARNINGS.md')
})

it('no code stands twice', () => {
  expect(rows.map(([code]) => code)).toEqual(Object.keys(WARNINGS))
})

it('every warning of the list is raised somewhere', () => {
  const raising = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(src, name), 'utf8'))
    .filter((text) => /^import.*\/warnings\.ts'|import\('.*\/warnings\.ts'\)/m.test(text))
    .join('\n')
  // warning('noTrials', …), or a table of codes: { code: 'cutByStop', … }.
  const silent = rows.filter(([code]) => !new RegExp(`(?:\\bwarning\\(\\s*|: )'${code}'`).test(raising))
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

These tables are the rows of \`warnings/\`, written out; a test keeps both alike.
`
}

function table(each: readonly [code: string, row: WarningRow<never>][]): string {
  const lines = each.map(([code, { when, hint }]) => `| \`${code}\` | ${when} | ${hint} |`)
  return ['| code | raised when | what to do |', '|---|---|---|', ...lines].join('\n')
}
