/** A page of the guide on a terminal. */
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'

const terminal = { onTerminal: true, talkOnTerminal: true, columns: 80 }

it('has no markup, no line over 80 outside of what is typed, and its links as notes', async () => {
  const dcalab = program(temporaryFolder(), {}, terminal)
  const { out: list } = await dcalab(['guide'])
  const names = list
    .split('\n\n')[0]
    .split('\n')
    .map((line) => line.split(' ')[0])
  expect(names.length).toBeGreaterThan(8)
  for (const name of names) {
    const { out } = await dcalab(['guide', name])
    const lines = out.split('\n')
    expect(
      lines.filter((line) => line.length > 80 && !line.startsWith('    ') && line.trim().includes(' ')),
      name,
    ).toEqual([])
    expect(out, name).not.toMatch(/^#|<!--|\]\(|^\|/m)
    for (const [, note] of out.matchAll(/^\[\d+\] dcalab guide (\S+)$/gm)) expect(names).toContain(note)
  }
})

it('is Markdown in a pipe', async () => {
  expect((await program(temporaryFolder())(['guide', 'screening'])).out).toMatch(/^# /)
})
