/** `:name` parameters: numbers are numbers, null is NULL, everything else is text, and none is missing or left over. */
import { beforeAll, expect, it } from 'vitest'
import { Failure } from '../../../../src/errors.ts'
import { readParameterValue } from '../../../../src/workbench/store/sql/bind.ts'
import { type Row, withRows } from '../../../../src/workbench/store/sql/select.ts'
import { openTemporary } from '../setup.ts'

let path: string
beforeAll(() => {
  const { store } = openTemporary()
  path = store.path
})

function ask(sql: string, given: Readonly<Record<string, string>>): Row {
  const parameters = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, readParameterValue(text)]))
  return withRows(path, { sql, parameters }, (_, rows) => [...rows][0])
}

it.each([
  ['5', 'integer', 5],
  ['-12', 'integer', -12],
  ['9007199254740993', 'integer', '9007199254740993'],
  ['0.5', 'real', 0.5],
  ['1e-8', 'real', 1e-8],
  ['.5', 'real', 0.5],
  ['-.5', 'real', -0.5],
  ['5.', 'real', 5],
  ['+5', 'integer', 5],
  ['.', 'text', '.'],
  ['99999999999999999999', 'real', 1e20],
  ['null', 'null', null],
  ['demo', 'text', 'demo'],
  ['', 'text', ''],
  ['007', 'text', '007'],
  ['0123456789', 'text', '0123456789'],
  ['4633e061', 'text', '4633e061'],
  ['1.5e3', 'real', 1500],
  ['1e+3', 'real', 1000],
  ['1e999', 'text', '1e999'],
  ["'5'", 'text', '5'],
  ["'null'", 'text', 'null'],
  ["it's; drop table trial", 'text', "it's; drop table trial"],
])('%s is bound as %s', (text, type, value) => {
  expect(ask('select typeof(:value), :value', { value: text })).toEqual([type, value])
})

it('a limit may be a parameter', () => {
  expect(ask('select count(*) from (select 1 from column_doc limit :n)', { n: '3' })).toEqual([3])
})

it('$name and @name are parameters, too; what stands in texts, names and comments is none', () => {
  const sql = `-- :a
    select $one, @two, ':b' as "c:c", /* :d */ time('12:30:00') as [:e]`
  expect(ask(sql, { one: '1', two: '2' })).toEqual([1, 2, ':b', '12:30:00'])
})

it('everything that is missing, left over or nameless is named at once', () => {
  const wrong = () => ask('select :a, :b, :b, ?, ?2', { a: '1', c: '1', d: '1' })
  expect(wrong).toThrow(Failure)
  expect(wrong).toThrow(
    expect.objectContaining({
      code: 'sqlInvalid',
      problems: [
        { place: '?', message: 'has no name; write it as :name' },
        { place: '?2', message: 'has no name; write it as :name' },
        { place: ':b', message: 'has no value; give it by --param b=…' },
        { place: '--param c', message: 'the statement has no :c' },
        { place: '--param d', message: 'the statement has no :d' },
      ],
    }),
  )
})
