/** A wrong statement is shown with a caret below the word that is wrong, and with what may have been meant. */
import { beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../../src/errors.ts'
import { runSelect } from '../../../support/run-select.ts'
import { openTemporary } from '../setup.ts'

let path: string
beforeAll(() => {
  const { store } = openTemporary()
  path = store.path
})

function refused(sql: string): Failure {
  try {
    runSelect(path, sql)
  } catch (error) {
    if (error instanceof Failure) return error
  }
  throw new Error(`not refused: ${sql}`)
}

/** The wrong word stands between ‹ and › here. */
const WRONG: readonly (readonly [what: string, sql: string, words: string])[] = [
  ['a misspelt keyword', 'select * ‹frm› results', 'near "frm": syntax error'],
  ['a word that occurs before', 'select frm from (select 1 as frm) a ‹frm› b', 'near "frm": syntax error'],
  ['a word that also stands in a comment', '/* ) */ select 1 -- )\n‹)›', 'near ")": syntax error'],
  ['a word on a later line', 'select trial\nfrom results\n\twhere trial = ‹=› 1', 'near "=": syntax error'],
  ['an unfinished statement', 'select (1‹›', 'incomplete input'],
  ['an unfinished statement before a comment', 'select 1,‹› -- and more\n', 'incomplete input'],
  ['a text without its end', "select ‹'abc", 'unrecognized token'],
  ['a stray sign', 'select ‹@›', 'unrecognized token'],
  ['a misspelt column', 'select ‹net_profitt› from answers', 'did you mean net_profit?'],
  [
    'a column of an alias',
    'select l.‹net_profitt› from answers l',
    'no such column: l.net_profitt; did you mean net_profit?',
  ],
  ['a column in quotes', 'select "‹net_profitt" from results'.replace('"‹', '‹"'), 'did you mean net_profit?'],
  ['part of a name', 'select ‹drawdown_low› from results', 'did you mean max_drawdown_low_percent?'],
  [
    'a column that is right elsewhere',
    'select profit, x from (select 1 as profit, 2 as x) where ‹y› = profit',
    'no such column: y',
  ],
  [
    'the second of two of one name',
    "select 'profit', (select profit from (select 1 as profit)), ‹profit› from results",
    'no such column: profit',
  ],
  [
    'one of an alias beside one that is right',
    'select a.profit, b.‹profit› from (select 1 as profit) a join results b',
    'no such column: b.profit',
  ],
  ['a column of the whole store', 'select ‹trial_cound›', 'did you mean trial_count?'],
  ['a misspelt view', 'select * from ‹answer›', 'no such table: answer; did you mean answers?'],
  ['a view of another file', 'select * from other.‹results›', 'no such table: other.results; did you mean results?'],
  ['a function', 'select ‹medain›(net_profit) from results', 'no such function: medain'],
  ['a name of two views', 'select ‹trial› from results a join trials b', 'ambiguous column name: trial'],
]

describe('the caret stands below', () => {
  it.each(WRONG)('%s', (_, marked, words) => {
    const at = marked.indexOf('‹')
    const failure = refused(marked.replace(/[‹›]/g, ''))
    const [, line, caret] = failure.message.split('\n')
    expect(failure).toMatchObject({ code: 'sqlInvalid', exitCode: 2, message: expect.stringContaining(words) })
    const lineNumber = marked.slice(0, at).split('\n').length
    const column = at - marked.lastIndexOf('\n', at - 1)
    expect(failure.details).toEqual({ line: lineNumber, column })
    expect(line).toBe(
      `line ${lineNumber}: ${marked.replace(/[‹›]/g, '').split('\n')[lineNumber - 1].replace('\t', ' ')}`,
    )
    expect(caret).toBe(`${' '.repeat(`line ${lineNumber}: `.length + column - 1)}^`)
  })
})

it('a column that only other views have is not suggested by its own name', () => {
  expect(refused('with a as (select 1 as x) select position from a').message).toMatch(/^no such column: position\n/)
})

it('a long line is cut around the caret', () => {
  const { message, details } = refused(
    `select ${'trial, '.repeat(60)} wrong_name, ${'trial, '.repeat(60)} 1 from results`,
  )
  const [, line, caret] = message.split('\n')
  expect(line.length).toBeLessThan(120)
  expect(line.slice(caret.length - 1)).toMatch(/^wrong_name/)
  expect(line).toMatch(/^line 1: ….*…$/)
  expect(details).toEqual({ line: 1, column: 429 })
})

it('an error that names no word, and one that comes while it computes, are told as they are', () => {
  expect(refused('select 1 union select 1, 2')).toMatchObject({
    message: 'SELECTs to the left and right of UNION do not have the same number of result columns',
    details: undefined,
  })
  expect(refused("select json_extract('{', '$')")).toMatchObject({ code: 'sqlInvalid', message: 'malformed JSON' })
  expect(refused("select 1 limit 'x'")).toMatchObject({ code: 'sqlInvalid', message: 'datatype mismatch' })
})

it('a text of two megabytes is read as one word', () => {
  expect(refused(`select '${'x'.repeat(2_000_000)}' frm results`).message).toMatch(
    /near "results": syntax error\nline 1: …/,
  )
})
