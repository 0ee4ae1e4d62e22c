/** The page of conventions says what the rows say. After a change, `npx vitest run --config test/vitest.config.ts test/engine/conventions-page -u` writes it again. */
import { expect, it } from 'vitest'
import { CHOICE_NAMES, CHOICES, PRESET_NAMES, SAFETY_ORDER_SIZE } from '../../src/engine/conventions.ts'

it('CONVENTIONS.md is the rows of conventions.ts', async () => {
  await expect(page()).toMatchFileSnapshot('../../src/engine/CONVENTIONS.md')
})

function page(): string {
  const readings = CHOICE_NAMES.flatMap((name) =>
    Object.entries(CHOICES[name].readings).map(([value, { meaning, platforms }], i) =>
      row([
        i === 0 ? `\`${name}\`` : '',
        i === 0 ? CHOICES[name].question : '',
        `\`${value}\``,
        meaning,
        platforms.join(', '),
      ]),
    ),
  )
  const presets = PRESET_NAMES.map((preset) =>
    row([`\`${preset}\``, ...CHOICE_NAMES.map((name) => `\`${CHOICES[name].presets[preset]}\``)]),
  )
  return `# Conventions: what DCA platforms disagree on

A study, a config file and \`dcalab serve --conventions\` say \`conventions: <preset>\` or \`conventions: { preset: <preset>, <name>: <value> }\`. What is not said is the
default, the first value of each convention. Every result states the conventions it rests on, and every engine obeys each of them (a law of the tests).

| convention | the question | value | what it means | who does it |
|---|---|---|---|---|
${readings.join('\n')}
${row(['`safetyOrderSize`', SAFETY_ORDER_SIZE.question, `above ${SAFETY_ORDER_SIZE.above}`, 'refused with any other sizing, where it would do nothing', ''])}

Q_k is the size and P_k the price of safety order k, B the base order, v \`dcaVolumeScale\`, A the average price of what was bought, T the take profit, S the stop, f the fee.

| preset | ${CHOICE_NAMES.map((name) => `\`${name}\``).join(' | ')} |
|---|${CHOICE_NAMES.map(() => '---|').join('')}
${presets.join('\n')}

\`three-commas\` sizes explicitly, so it needs a size: \`{ preset: three-commas, safetyOrderSize: 15 }\`.

These tables are the rows of \`conventions.ts\`, written out; a test keeps both alike.
`
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
