/**
 * `npm run bench:method`: what the method of `src/guide/method.md` is worth, measured on real candles by the protocol in `method/PROTOCOL.md`.
 * `-- --seed <text>` draws others, `--quick` takes every tenth stretch, `--json` prints the figures as JSON, `--write` keeps them for the guide.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { print, table } from './measure.ts'
import { measureStretch, type StretchRecord } from './method/measure-stretch.ts'
import { createSpanReader } from './method/spans.ts'
import { STRETCHES } from './method/stretches.ts'
import { type Figures, summarize } from './method/summarize.ts'
import { tablesOf } from './method/tables.ts'

const PROGRESS_EVERY_MS = 20_000
const QUICK_EVERY = 10
const FIGURES_FILE = 'src/guide/method-figures.json'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
await main()

async function main(): Promise<void> {
  const records = await measure()
  if (records.length === 0) {
    process.stderr.write('none of the recordings is there, so nothing was measured\n')
    return
  }
  const figures = summarize(records, { measuredOn: new Date().toISOString().slice(0, 10), seed: values.seed })
  if (values.json) print(`${JSON.stringify(figures, null, 2)}\n`)
  else printFigures(figures)
  if (!values.write) return
  if (records.length < STRETCHES.length) {
    process.stderr.write(
      `not written: the guide quotes all ${STRETCHES.length} stretches, and ${records.length} were measured\n`,
    )
    process.exitCode = 1
    return
  }
  writeFileSync(join(process.cwd(), FIGURES_FILE), fileOf(figures))
}

async function measure(): Promise<StretchRecord[]> {
  const stretches = values.quick ? STRETCHES.filter((_, at) => at % QUICK_EVERY === 0) : STRETCHES
  const readSpans = createSpanReader()
  const records: StretchRecord[] = []
  const startedAt = performance.now()
  let saidAt = startedAt
  for (const [at, stretch] of stretches.entries()) {
    const spans = readSpans(stretch)
    if (spans !== undefined) records.push(await measureStretch(stretch, spans, values.seed))
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) continue
    saidAt = performance.now()
    process.stderr.write(`${at + 1} of ${stretches.length} stretches, ${cpuMinutes()} minutes of the processor\n`)
  }
  process.stderr.write(`${records.length} stretches, ${cpuMinutes()} minutes of the processor\n`)
  return records
}

function cpuMinutes(): string {
  const { user, system } = process.cpuUsage()
  return ((user + system) / 60e6).toFixed(1)
}

function printFigures(figures: Figures): void {
  print(
    `${figures.measuredOn}, seed ${figures.seed}: ${figures.stretches} of ${STRETCHES.length} stretches; 90 % intervals in brackets\n`,
  )
  for (const { title, head, lines } of tablesOf(figures)) table(title, head, lines)
  // (d) The detective on hidden sets is printed here as soon as `method/detective.ts` is there.
  print(`\nBy the rule of the protocol the default score is ${figures.defaultScore}.\n`)
}

/** Each figure on a line of its own; `npm run format` breaks those that are too long. */
function fileOf(figures: Figures): string {
  const onOneLine = (figure: string) => figure.replace(/\s+/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')
  return `${JSON.stringify(figures, null, 2).replace(/\{\s+"value":[^{}]*\}/g, onOneLine)}\n`
}
