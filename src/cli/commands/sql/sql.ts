/** `dcalab sql`: one read-only statement over the store's views, in a process of its own that Ctrl-C ends. */

import { Failure, type Problem } from '../../../errors.ts'
import type { Terminal } from '../../../system.ts'
import type { CookbookQuery } from '../../../workbench/store/cookbook/queries.ts'
import type { StreamedAnswer } from '../../../workbench/store/sql/ask.ts'
import type { Parameters } from '../../../workbench/store/sql/bind.ts'
import type { Question, Row } from '../../../workbench/store/sql/select.ts'
import { refuseWhileOpening } from '../../agent-limits.ts'
import { type CommonOptions, type Context, type Register, withExamples, withStore } from '../../context.ts'
import { readInput, readStandardInput } from '../../input.ts'
import { withHeartbeat } from '../../long-work.ts'
import { chooseFormat, decimal, type Format, type FormatOptions, formatOption, option, whole } from '../../option.ts'
import { countOf, formatDuration, printAnswer, printJson, say, verbatim } from '../../output.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf, withFileToRead } from '../../workbench.ts'

interface SqlOptions extends CommonOptions, QuestionOptions, FormatOptions {
  readonly out?: string
  readonly force?: boolean
  readonly timeout?: number
  readonly limit?: number
}

export const sqlCommand: Register = (program, context) => {
  const command = program
    .command('sql')
    .description('query the result store with read-only SQL')
    .argument(
      '[select]',
      'one SELECT, or - for stdin, over the views: answers, results, trials, studies, revisions, study_runs, deals, equity_daily, monthly_returns, market_daily, parameters, verdicts, attempts, bots, column_doc',
    )
    .addOption(option('--file <path>', 'read the statement from a file; - for stdin'))
    .option('--example <name>', 'run a question of the cookbook')
    .option('--examples', 'list the questions of the cookbook')
    .option('--show', 'print the SQL of --example without running it')
    .option('--param <name=value>', 'set :name to a number, null or text; repeatable', oneMore)
    .addOption(
      decimal('--timeout <seconds>', 'stop the statement after this time', { minimum: 0.1, otherwise: 'no limit' }),
    )
    .addOption(whole('--limit <n>', 'print the first n rows', { minimum: 1 }))
    .addOption(formatOption())
    .option('--out <file>', 'write the rows to a .parquet, .csv or .ndjson file')
    .option('--force', 'replace the file that is there')
  withExamples(withStore(command), [
    'dcalab sql "select trial, net_profit from answers where study = :study limit 5" --param study=demo',
    'dcalab sql --example profit-per-drawdown --format csv',
  ]).action((statement: string | undefined, options: SqlOptions) => runSql(context, statement, options))
}

function oneMore(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

async function runSql(context: Context, statement: string | undefined, options: SqlOptions): Promise<void> {
  checkSource(statement, options)
  const format = chooseFormat(options)
  const json = format === 'json'
  if (options.examples) return listExamples(context, format)
  if (options.show && options.example !== undefined) {
    return showExample(context, options.example, json)
  }
  const [{ writeAs }, { askStore }, question] = await Promise.all([
    import('../../formats.ts'),
    import('../../../workbench/store/sql/ask.ts'),
    readQuestion(context, statement, options),
  ])
  const path = pathsOf(context, options).store
  const write =
    options.out === undefined
      ? writeAs(format)
      : toFile({ path: options.out, force: options.force ?? false, store: path, json: format === 'json' })
  await refuseWhileOpening(context, path)
  const workerFile = new URL('sql-worker.js', context.workerFile) // it is built beside the engine worker
  const { signal, release } = limitTime(context, options.timeout)
  try {
    const { terminal } = context.system
    const { limit } = options
    await withHeartbeat(
      context,
      (elapsedMs) => `the statement is running (${formatDuration(elapsedMs)}); Ctrl-C or --timeout stops it`,
      () =>
        withFileToRead(context, path, (file) =>
          askStore({ path: file, ...question }, { workerFile, signal }, (answer) =>
            write(terminal, limit === undefined ? answer : firstRows(terminal, answer, limit)),
          ),
        ),
    )
  } finally {
    release()
  }
}

function toFile({
  path,
  ...how
}: {
  readonly path: string
  readonly force: boolean
  readonly store: string
  readonly json: boolean
}) {
  return async (terminal: Terminal, { columns, batches }: StreamedAnswer): Promise<void> => {
    const { exportAnswer } = await import('../../../workbench/store/export/export.ts')
    const { rows } = await exportAnswer({ columns, batches }, { path, ...how })
    if (how.json) return printJson(terminal, { path, rows, columns: columns.length })
    await terminal.out(`${path}: ${countOf(rows, 'row')}, ${countOf(columns.length, 'column')}\n`)
  }
}

/** The statement is ended once there are more. */
function firstRows(terminal: Terminal, { columns, batches }: StreamedAnswer, limit: number): StreamedAnswer {
  return { columns, batches: upTo() }

  async function* upTo(): AsyncGenerator<readonly Row[]> {
    let left = limit
    for await (const rows of batches) {
      yield rows.slice(0, left)
      left -= rows.length
      if (left < 0) return say(terminal, `note: only the first ${limit} rows; there are more`)
    }
  }
}

/** Ctrl-C, or the end of the time given, whichever comes first. */
function limitTime({ system, signal }: Context, seconds: number | undefined) {
  if (seconds === undefined) return { signal, release: () => {} }
  const over = new AbortController()
  const done = new AbortController()
  const message = `the statement was stopped after ${seconds} s (--timeout)`
  const failure = new Failure('sqlInvalid', message, { hint: 'ask for fewer rows, or raise --timeout' })
  system.clock.sleep(1000 * seconds, done.signal).then(
    () => over.abort(failure),
    () => {}, // it was done in time
  )
  return { signal: AbortSignal.any([signal, over.signal]), release: () => done.abort() }
}

interface QuestionOptions {
  readonly file?: string
  readonly example?: string
  readonly examples?: boolean
  readonly show?: boolean
  readonly param?: readonly string[]
}

/** @throws Failure usage unless exactly one statement is named */
function checkSource(statement: string | undefined, options: QuestionOptions & FormatOptions): void {
  const given = [
    ...(statement === undefined ? [] : ['a statement']),
    ...(['file', 'example', 'examples'] as const)
      .filter((name) => options[name] !== undefined)
      .map((name) => `--${name}`),
  ]
  if (given.length !== 1) {
    const found = given.length === 0 ? 'nothing' : given.join(' and ')
    throw new Failure('usage', `sql takes one statement: in quotes, - for stdin, --file or --example; found ${found}`)
  }
  if (options.show && options.example === undefined) {
    throw new Failure('usage', '--show goes with --example', { hint: '`dcalab sql --examples` lists the questions' })
  }
  const { format = 'json' } = options
  if (options.show && format !== 'json') {
    throw new Failure('usage', `--format ${format} needs a statement that is run, and --show runs none`)
  }
  if ((options.show || options.examples) && options.param !== undefined) {
    const flag = options.show ? '--show' : '--examples'
    throw new Failure('usage', `--param needs a statement that is run, and ${flag} runs none`)
  }
}

async function readQuestion(
  context: Context,
  statement: string | undefined,
  options: QuestionOptions,
): Promise<Question> {
  const given = splitParameters(options.param ?? [])
  if (options.example !== undefined) {
    const { getExample, parametersOf } = await import('../../../workbench/store/cookbook/cookbook.ts')
    const query = getExample(options.example)
    return { sql: query.sql, parameters: parametersOf(query, given) }
  }
  const { readParameterValue } = await import('../../../workbench/store/sql/bind.ts')
  const parameters: Parameters = Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, readParameterValue(text)]),
  )
  return { sql: withoutByteOrderMark(await readStatement(context, statement, options.file)), parameters }
}

function readStatement({ signal }: Context, statement: string | undefined, file: string | undefined) {
  if (file !== undefined && file !== '-') return readInput(file)
  return statement === undefined || statement === '-' ? readStandardInput(signal) : statement
}

const byteOrderMark = '\ufeff'

/** Editors of Windows write one; to SQLite it is part of the first word. */
function withoutByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/**
 * A statement that begins with a comment looks like an option. No option has a space in its name, so what has one gets the mark
 * in front, which is taken off again when the statement is read.
 */
export function markStatements(args: readonly string[]): string[] {
  return args.map((arg) => (args[0] === 'sql' && /^--[^\s=]*\s/.test(arg) ? byteOrderMark + arg : arg))
}

/** `name=value` texts by name. @throws Failure usage with everything that is wrong with them */
function splitParameters(texts: readonly string[]): Record<string, string> {
  const names = texts.map((text) => /^[:@$]?([\w\u0080-\uffff][\w$\u0080-\uffff]*)=/.exec(text)?.[1])
  const problems: Problem[] = texts.flatMap((text, i) => {
    const place = `--param ${text}`
    if (names[i] === undefined) return [{ place, message: 'expects name=value' }]
    return names.indexOf(names[i]) < i ? [{ place, message: `${names[i]} is given twice` }] : []
  })
  if (problems.length > 0) throw new Failure('usage', 'the parameters cannot be read', { problems })
  return Object.fromEntries(texts.map((text, i) => [names[i] ?? '', text.slice(text.indexOf('=') + 1)]))
}

async function listExamples({ system }: Context, format: Format): Promise<void> {
  const { terminal } = system
  const { COOKBOOK } = await import('../../../workbench/store/cookbook/cookbook.ts')
  const rows = Object.entries(COOKBOOK).map(([name, query]) => ({ name, ...query }))
  if (format === 'json') return printJson(terminal, rows)
  if (format !== 'table') {
    const shown = rows.map(({ name, title, parameters }) => ({
      name,
      question: title,
      parameters: describeParameters(parameters),
    }))
    const { writeRows } = await import('../../formats.ts')
    return writeRows(terminal, format, shown)
  }
  return printAnswer(
    terminal,
    fittingTable(rows, [
      { title: 'name', value: ({ name }) => name },
      { title: 'question', value: ({ title }) => title },
      { title: 'parameters', value: ({ parameters }) => describeParameters(parameters) },
    ]),
  )
}

function describeParameters(parameters: CookbookQuery['parameters']): string {
  return Object.entries(parameters)
    .map(([name, { usual }]) => (usual === null ? name : `${name}=${usual}`))
    .join(' ')
}

async function showExample({ system }: Context, name: string, json: boolean): Promise<void> {
  const { getExample, scriptOf } = await import('../../../workbench/store/cookbook/cookbook.ts')
  const query = getExample(name)
  if (json) return printJson(system.terminal, { name, ...query })
  return printAnswer(system.terminal, verbatim(scriptOf(name, query).trimEnd()))
}
