/** The page of our assumptions says what the code says. After a change, `npx vitest run --config test/vitest.config.ts test/contract -u` writes it again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ASSUMPTIONS } from '../../src/contract/assumptions.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))

it('ASSUMPTIONS.md is the table of assumptions.ts', async () => {
  await expect(page()).toMatchFileSnapshot('../../src/contract/ASSUMPTIONS.md')
})

it('every number that the code cites is an assumption, in a room that is named as relying on it', () => {
  const cited = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('contract/'))
    .flatMap((name) => {
      const room = name
        .replace(/^workbench\//, '')
        .split('/')[0]
        .replace(/\.ts$/, '')
      const numbers = readFileSync(join(src, name), 'utf8').matchAll(/\bA-\d\d\b/g)
      return [...numbers].map(([id]) => ({ id, room }))
    })
  expect(cited.length).toBeGreaterThan(20)
  const wrong = cited.filter(
    ({ id, room }) => !ASSUMPTIONS.some((each) => each.id === id && each.reliedOnBy.includes(room)),
  )
  expect(wrong).toEqual([])
})

function page(): string {
  const rows = ASSUMPTIONS.map(({ id, quote, answer, reliedOnBy }) =>
    [id, quote, answer, reliedOnBy.map((room) => `\`${room}\``).join(', ')].map(cell).join(' | '),
  )
  return `# What the API document does not say, and what we take it to mean

The API document is silent on much that a client needs. Each silence we rely on has a number here, the words of the document, our answer, and the rooms of the
program that rely on it. The embedded service behaves as the answers say; the workbench reads any service through a dialect and needs far less.

To compare with a real service: \`dcalab service check\` shows how its bodies were understood, and \`npm run exercise -- <url>\` asks it every question that can be asked
without changing anything. Where an answer differs, a dialect module (\`DCALAB_DIALECT\`) teaches the workbench the other spelling.

| number | the document | our answer | relied on by |
|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}

This table is \`assumptions.ts\`, written out; a test keeps both alike.
`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
