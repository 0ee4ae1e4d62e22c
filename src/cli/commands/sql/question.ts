/** Which statement is asked, with which parameters: from the command line, a file, stdin or the cookbook. */
import { Failure, type Problem } from '../../../errors.ts'
import type { Parameters } from '../../../workbench/store/sql/bind.ts'
import type { Question } from '../../../workbench/store/sql/select.ts'
import type { Context } from '../../context.ts'
import { readInput, readStandardInput } from '../../input.ts'
import type { FormatOptions } from '../../option.ts'

export interface QuestionOptions {
  readonly file?: string
  readonly example?: string
  readonly examples?: boolean
  readonly show?: boolean
  readonly param?: readonly string[]
}

/** @throws Failure usage unless exactly one statement is named */
export function checkSource(statement: string | undefined, options: QuestionOptions & FormatOptions): void {
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
    throw new Failure('usage', `--format ${format} goes with a statement that is run, and --show runs none`)
  }
  if ((options.show || options.examples) && options.param !== undefined) {
    const flag = options.show ? '--show' : '--examples'
    throw new Failure('usage', `--param goes with a statement that is run, and ${flag} runs none`)
  }
}

export async function readQuestion(
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
