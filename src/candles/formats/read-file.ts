/** Reads candle files of every kind, recognised by their content. A reader that needs a package loads it when it is called. */
import { basename } from 'node:path'
import { Failure } from '../../errors.ts'
import { textOf } from './decimal.ts'
import { type FileContent, LARGEST_FILE } from './file-bytes.ts'
import { type CsvLayout, findCsvLayout, KNOWN_LAYOUTS, parseCsv } from './layouts.ts'
import { createProblemList, type ProblemList, type RawFile, type RowRules } from './row-collector.ts'
import type { Spelling } from './sniff/read-spelled.ts'
import { parseTimeText } from './written-time.ts'

interface ReadFile extends RawFile {
  readonly problems: ProblemList
}

/**
 * Reads every row of a file; unreadable rows are added to `problems`.
 * @throws Failure candlesInvalid when the layout is not known or the file as a whole is damaged
 */
export async function readRawFile(
  path: string,
  content: FileContent,
  rules: RowRules,
  spelling?: Spelling,
): Promise<ReadFile> {
  const { bytes } = content
  const kind = kindOf(bytes)
  const problems = createProblemList(path)
  if (kind === 'text') {
    const spelled = await readOtherwise(path, content, rules, spelling, problems)
    return { ...(spelled ?? readText(path, content, rules, problems)), problems }
  }
  try {
    return { ...(await readWith(kind, bytes, rules, problems)), problems }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `cannot read ${path} as ${kindNames[kind]}: ${reason}`, { cause })
  }
}

const kindNames = {
  json: 'freqtrade JSON',
  arrow: 'an Arrow or Feather file',
  parquet: 'a Parquet file',
  sqlite: 'a SQLite file of OctoBot',
} as const

type Kind = keyof typeof kindNames | 'text'

function kindOf(bytes: Uint8Array): Kind {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (start.startsWith('ARROW1')) return 'arrow'
  if (start.startsWith('PAR1')) return 'parquet'
  if (start.startsWith('SQLite format 3')) return 'sqlite'
  return start.trimStart().startsWith('[') ? 'json' : 'text'
}

async function readWith(
  kind: Exclude<Kind, 'text'>,
  bytes: Uint8Array,
  rules: RowRules,
  problems: ProblemList,
): Promise<RawFile> {
  switch (kind) {
    case 'json':
      return (await import('./freqtrade-json.ts')).readFreqtradeJson(bytes, rules, problems)
    case 'arrow':
      return (await import('./arrow-file.ts')).readArrowFile(bytes, rules, problems)
    case 'parquet':
      return (await import('./parquet-file.ts')).readParquetFile(bytes, rules, problems)
    case 'sqlite':
      return (await import('./octobot-file.ts')).readOctobotFile(bytes, rules, problems)
  }
}

/** Rows in a spelling that no known layout has; undefined where one fits, or where it is no table at all. @throws Failure candlesInvalid */
async function readOtherwise(
  path: string,
  { bytes }: FileContent,
  rules: RowRules,
  spelling: Spelling | undefined,
  problems: ProblemList,
): Promise<RawFile | undefined> {
  const start = afterMark(bytes)
  const lines = textOf(bytes, start, bytes.length, 20_000).split(/\r?\n/, 20)
  const layout = findCsvLayout(lines)
  const isKnown = typeof layout !== 'string'
  if (spelling === undefined && isKnown && readsOne(lines, layout)) return undefined
  const { readSpelled } = await import('./sniff/read-spelled.ts')
  return readSpelled({ path, bytes, spelling: spelling ?? {}, isKnown }, rules, problems)
}

/** Whether a layout reads one of these rows. */
function readsOne(lines: readonly string[], layout: CsvLayout): boolean {
  const sample = Buffer.from(lines.join('\n'))
  const { rows } = parseCsv(
    { bytes: sample, layout, start: 0, midnight: 0 },
    { keepImpossible: true },
    createProblemList(''),
  )
  return rows.openTime.length > 0 || layout.time === 'sinceMidnight'
}

function afterMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0 // byte order mark
}

function readText(path: string, { bytes, innerName }: FileContent, rules: RowRules, problems: ProblemList): RawFile {
  const start = afterMark(bytes)
  const layout = recognise(path, bytes, start)
  const midnight = layout.time === 'sinceMidnight' ? dayInName(path, innerName) : 0
  const mixed = { ...rules, mixedUnits: layout.mixedUnits }
  const { symbol, ...rows } = parseCsv({ bytes, layout, start, midnight }, mixed, problems)
  return {
    layout: layout.name,
    series: [{ ...rows, market: null, symbol, interval: null, synthetic: layout.synthetic }],
    holdsConflicts: layout.holdsConflicts,
    showsSpot: layout.showsSpot,
  }
}

function recognise(path: string, bytes: Uint8Array, start: number): CsvLayout {
  const lines = textOf(bytes, start, bytes.length, 4000).split(/\r?\n/, 3)
  const first = lines.at(0) ?? ''
  // Names of columns that we do not read may contain other bytes, but a table contains no control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this finds
  const isText = !/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(first)
  const layout = isText ? findCsvLayout(lines) : describeBinary(bytes)
  if (typeof layout !== 'string') return layout
  throw new Failure('candlesInvalid', `the layout of ${path} is not known: ${layout}`, {
    hint: `known are ${KNOWN_LAYOUTS}`,
  })
}

/** Lean counts times from midnight of the day in the file's name. */
function dayInName(path: string, innerName: string | null): number {
  for (const name of [innerName ?? '', basename(path)]) {
    const digits = /(?:^|\D)(20\d{6})(?:\D|$)/.exec(name)?.at(1)
    const day = digits === undefined ? Number.NaN : parseTimeText(Buffer.from(digits), 0, 8)
    if (!Number.isNaN(day)) return day
  }
  throw new Failure('candlesInvalid', `${path} counts from midnight, and its name does not give the day`, {
    hint: 'give it back the name it had, such as 20221213_trade.zip',
  })
}

function describeBinary(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (start.startsWith('PK')) return 'it is an archive inside an archive'
  if (start.startsWith('FEA1')) return 'it is Feather version 1; write it as version 2'
  if (start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff')) return 'it is UTF-16 text; save it as UTF-8'
  return `it is not text (${Math.min(bytes.length, LARGEST_FILE)} bytes)`
}
