/** `dcalab sql`: where a statement comes from, how its answer is spelt, and one clear error for everything else. */
import { spawn } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../src/workbench/store/store.ts'
import { VIEWS } from '../../src/workbench/store/views.ts'
import { program as built, type Ended, ended } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { testSystem } from '../support/system.ts'
import { storeOf } from '../workbench/store/old-layouts.ts'

let folder: string
let dcalab: ReturnType<typeof program>
beforeAll(() => {
  folder = temporaryFolder()
  openStore(join(folder, 'workbench.sqlite'), { system: testSystem() }).close()
  dcalab = program(folder)
})

const sql = (...args: readonly string[]) => dcalab(['sql', ...args])

function pipedInto(text: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [built, 'sql', ...args, '--store', join(folder, 'workbench.sqlite')], {
    cwd: folder,
  })
  child.stdin.end(text)
  return ended(child)
}

it('the hint after a refused statement asks for the views, and gets them all and nothing else', async () => {
  const { error } = JSON.parse((await sql('drop table trial', '--json')).err)
  const statement = /`dcalab sql "([^"]+)"` lists the views/.exec(error.hint)?.[1] ?? ''
  const listed: { relation: string }[] = JSON.parse((await sql(statement, '--json')).out)
  expect(listed.map(({ relation }) => relation).sort()).toEqual(Object.keys(VIEWS).sort())
})

describe('a statement', () => {
  const commented = '\ufeff-- the first line says why\n/* and this\nmore */ select 7 as seven; -- done\n'

  it('comes from stdin, with comments around it and its semicolon', async () => {
    expect(await pipedInto(commented, '-', '--format=csv')).toMatchObject({ code: 0, stdout: 'seven\n7\n' })
    expect(await pipedInto(commented, '--file', '-', '--format=csv')).toMatchObject({
      code: 0,
      stdout: 'seven\n7\n',
    })
  })

  it('comes from a file', async () => {
    writeFileSync(join(folder, 'question.sql'), commented)
    expect(await sql('--file', join(folder, 'question.sql'), '--format=csv')).toMatchObject({
      code: 0,
      out: 'seven\n7\n',
    })
    expect(await sql('--file', join(folder, 'absent.sql'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('absent.sql: there is no such file'),
    })
  })

  it('comes from a file in UTF-16, as Windows PowerShell writes it', async () => {
    const path = join(folder, 'sixteen.sql')
    for (const swapped of [false, true]) {
      const bytes = Buffer.from('\ufeffselect 7 as seven, ‘é’ as e\n'.replaceAll(/[‘’]/g, "'"), 'utf16le')
      writeFileSync(path, swapped ? bytes.swap16() : bytes)
      expect(await sql('--file', path, '--format=csv')).toMatchObject({ code: 0, out: 'seven,e\n7,é\n' })
    }
  })

  it('may begin with a comment on the command line, too', async () => {
    for (const comment of ['-- why\n', '--why so\n', '/* why */ ', '-- a=b\n']) {
      expect(await sql(`${comment}select 7 as seven;`, '--format=csv')).toMatchObject({
        code: 0,
        out: 'seven\n7\n',
      })
    }
    expect(await sql('select 1', '--cvs')).toMatchObject({ code: 2, err: expect.stringContaining("option '--cvs'") })
    expect((await sql('-- why\nselect trail from results')).err).toContain('\nline 2: select trail from results\n')
  })

  it('takes parameters', async () => {
    const { out } = await sql(
      'select :market as market, :n + 1 as n',
      '--param',
      'market=a=b',
      '--param',
      ':n=4',
      '--format=ndjson',
    )
    expect(out).toBe('{"market":"a=b","n":5}\n')
  })

  it.each([
    [[], 'sql takes one statement: in quotes, - for stdin, --file or --example; found nothing'],
    [['select 1', '--file', 'x.sql'], 'found a statement and --file'],
    [['-', '--example', 'fee-share'], 'found a statement and --example'],
    [['select 1', '--show'], '--show goes with --example'],
    [['--example', 'fee-share', '--show', '--param', 'top=5'], '--param needs a statement that is run'],
    [['select 1', '--format=csv', '--json'], '--json and --format csv exclude each other'],
    [['select 1', '--timeout', 'soon'], '--timeout expects a number of at least 0.1, found "soon"'],
    [
      ['select 1', '--param', 'a', '--param', '=1'],
      '  --param a: expects name=value\\n  --param =1: expects name=value',
    ],
    [['select :a', '--param', 'a=1', '--param', 'a=2'], '--param a=2: a is given twice'],
    [['--example', 'fee-shares'], 'there is no question "fee-shares"; did you mean fee-share?'],
    [['--example', 'fee-share', '--param', 'top=many'], '--param top: expects a number, found "many"'],
    [
      ['--example', 'fee-share', '--param', 'stdy=a'],
      '--param stdy: the question has :study, :top; did you mean study?',
    ],
    [['-- nothing but words'], 'contains no statements'],
  ])('%j is refused in one error', async (args, words) => {
    const { code, err, out } = await sql(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.replaceAll('\n', '\\n')).toContain(words)
    expect(err.match(/^(error:|{"error":)/gm)).toHaveLength(1)
  })

  it('that asks an older store for what is new is told what brings it forward', async () => {
    const old = join(folder, 'old.sqlite')
    renameSync(storeOf(), old) // whose views are of before
    const hint =
      'hint: the store was last opened by an older version: `dcalab status` brings it forward, with its views\n'
    expect(await sql('select asked_by from study_runs', '--store', old)).toMatchObject({
      code: 2,
      err: expect.stringContaining(hint),
    })
    expect((await sql('select nothing from study_runs')).err).not.toContain('older version')
    expect(await dcalab(['status', '--store', old])).toMatchObject({ code: 0 })
    expect(await sql('select asked_by from study_runs', '--store', old)).toMatchObject({ code: 0 })
  })

  it('that is wrong is told to programs with its line and column', async () => {
    const { code, err } = await sql('select trial\nfrom answer', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(err).error).toMatchObject({
      code: 'sqlInvalid',
      message: 'no such table: answer; did you mean answers?\nline 2: from answer\n             ^',
      details: { line: 2, column: 6 },
    })
  })
})

describe('an answer', () => {
  const two = "select 'a|b' as text, 1.5 as number, null as empty union all select 'c\nd', 2, 0"

  it('is a table, unless asked for otherwise', async () => {
    expect((await sql(two)).out).toBe(
      'text  number  empty\n----  ------  -----\na|b      1.5      -\nc d      2.0      0\n',
    )
  })

  it('is CSV', async () => {
    expect((await sql(two, '--format=csv')).out).toBe('text,number,empty\na|b,1.5,\n"c\nd",2,0\n')
  })

  it('is one JSON object a line', async () => {
    expect((await sql(two, '--format=ndjson')).out).toBe(
      '{"text":"a|b","number":1.5,"empty":null}\n{"text":"c\\nd","number":2,"empty":0}\n',
    )
  })

  it('is a Markdown table, in which nothing is markup', async () => {
    expect((await sql(two, '--format=md')).out).toBe(
      '| text | number | empty |\n| --- | ---: | ---: |\n| a\\|b | 1.5 | - |\n| c d | 2 | 0 |\n',
    )
    expect((await sql("select '<b> *x* [y](z)' as t", '--format=md')).out).toContain('| &lt;b\\> \\*x\\* \\[y\\](z) |')
  })

  it('without rows has its columns only where they stand above them', async () => {
    const none = 'select 1 as a where 0'
    const flags = ['--format=csv', '--json', '--format=ndjson', '--format=md']
    const answers = await Promise.all(flags.map((flag) => sql(none, flag)))
    expect(answers.map(({ out }) => out)).toEqual(['a\n', '[]\n', '', '| a |\n| --- |\n'])
  })

  it('keeps columns of one name apart where a name can stand only once, and says so', async () => {
    const same = 'select 1 as n, 2 as n, 3 as n_2, 4 as n'
    const line = await sql(same, '--format=ndjson')
    expect(line.out).toBe('{"n":1,"n_3":2,"n_2":3,"n_4":4}\n')
    expect(line.err).toBe('note: columns of one name get a number: n_3, n_4\n')
    expect(JSON.parse((await sql(same, '--json')).out)).toEqual([{ n: 1, n_3: 2, n_2: 3, n_4: 4 }])
    expect(await sql(same, '--format=csv')).toMatchObject({ out: 'n,n,n_2,n\n1,2,3,4\n', err: '' })
  })

  it('is the same in its own process: infinite numbers, big ones, blobs', async () => {
    const strange =
      "select 9e999 as above, -9e999 as below, 9007199254740993 as big, x'00ff' as blob, 0.1 + 0.2 as exact"
    expect((await sql(strange, '--format=csv')).out).toBe(
      'above,below,big,blob,exact\nInfinity,-Infinity,9007199254740993,00ff,0.30000000000000004\n',
    )
  })

  it('that is held whole has a limit, and says which spellings have none', async () => {
    const many = 'with recursive n(i) as (select 1 union all select i + 1 from n limit 100001) select i from n'
    expect(await sql(many)).toMatchObject({ code: 2, err: expect.stringMatching(/More than 100,000 rows\n.*ndjson/) })
    expect((await sql(many, '--format=ndjson')).out).toMatch(/\n{"i":100001}\n$/)
  })

  it('stops where the statement fails, after the rows that came before', async () => {
    const failing = "select json_extract(value, '$') as j from (select '1' as value union all select '{')"
    expect(await sql(failing, '--format=ndjson')).toMatchObject({
      code: 2,
      out: '{"j":1}\n',
      err: expect.stringContaining('malformed JSON'),
    })
  })

  it('on a terminal loses the columns that do not fit, and says which', async () => {
    const narrow = program(folder, {}, { onTerminal: true })
    const wide = Array.from({ length: 40 }, (_, i) => `'${'x'.repeat(20)}' as column_${i}`).join(', ')
    const { out, err } = await narrow(['sql', `select ${wide}`])
    expect(out.split('\n')[0]).toMatch(/^column_0 .*column_\d+$/)
    expect([out.split('\n').at(-2), err]).toEqual([expect.stringMatching(/^3\d columns hidden; --wide shows all$/), ''])
  })
})

describe('an answer that is written into a file', () => {
  it.each([
    ['csv', 'seven,name\n7,x\n'],
    ['ndjson', '{"seven":7,"name":"x"}\n'],
  ])('as %s, by the ending of its name, and never over one that is there', async (ending, text) => {
    const file = join(folder, `answer.${ending}`)
    const write = (...more: readonly string[]) => sql("select 7 as seven, 'x' as name", '--out', file, ...more)
    expect(await write()).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(text)
    writeFileSync(file, 'mine')
    expect(await write()).toMatchObject({ code: 2 })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await write('--force')).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('as Parquet, with its types', async () => {
    const file = join(folder, 'answer.parquet')
    expect(await sql("select 7 as seven, 0.5 as half, 'x' as name", '--out', file)).toMatchObject({ code: 0 })
    const rows = await parquetReadObjects({ file: new Uint8Array(readFileSync(file)).buffer })
    expect(rows.map(({ seven, half, name }) => [Number(seven), half, name])).toEqual([[7, 0.5, 'x']])
  })
})
