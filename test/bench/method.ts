/**
 * `npm run bench:method`: what the method of `test/bench/method/RESULTS.md` is worth, measured by the protocol in `method/PROTOCOL.md`.
 * `-- --only d` measures one part, `--seed <text>` draws others (for `d` hex digits), `--quick` takes a tenth of everything, `--json` prints the
 * figures as JSON, `--write` keeps them for that page, beside the parts that were not measured.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { print, table } from './measure.ts'
import { type AllFigures, allTablesOf, measurePart, PARTS } from './method/all-figures.ts'

const FIGURES_FILE = join(process.cwd(), 'test/bench/method/figures.json')

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
await main()

async function main(): Promise<void> {
  const parts = PARTS.filter((part) => values.only === undefined || values.only === part)
  if (parts.length === 0) return fail(`there is no part "${values.only}"; there are ${PARTS.join(', ')}`)
  const occasion = { measuredOn: new Date().toISOString().slice(0, 10), seed: values.seed, quick: values.quick }
  let figures: Partial<AllFigures> = {}
  const lacking: string[] = []
  for (const part of parts) {
    const measured = await measurePart(part, occasion)
    figures = { ...figures, ...measured.figures }
    if (measured.whyPart !== null) lacking.push(measured.whyPart)
  }
  if (values.json) print(`${JSON.stringify(figures, null, 2)}\n`)
  else printFigures(figures)
  if (!values.write) return
  if (lacking.length > 0) return fail(`not written: that page quotes all of it, and ${lacking.join(', ')}`)
  const kept: unknown = JSON.parse(readFileSync(FIGURES_FILE, 'utf8'))
  writeFileSync(FIGURES_FILE, fileOf(Object.assign({}, kept, figures)))
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

function printFigures(figures: Partial<AllFigures>): void {
  print(`${new Date().toISOString().slice(0, 10)}, seed ${values.seed}; 90 % intervals in brackets\n`)
  for (const { title, head, lines } of allTablesOf(figures)) table(title, head, lines)
}

/** Each figure on a line of its own; `npm run format` breaks those that are too long. */
function fileOf(figures: object): string {
  const onOneLine = (figure: string) => figure.replace(/\s+/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')
  return `${JSON.stringify(figures, null, 2).replace(/\{\s+"value":[^{}]*\}/g, onOneLine)}\n`
}
