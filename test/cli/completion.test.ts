/** What Tab completes: words of the declared commands, and names of what is stored, in the shells that are installed. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const folder = temporaryFolder()
const dcalab = program(folder)
const market = { exchange: 'synthetic', baseAsset: 'TAB', quoteAsset: 'USDT' }

beforeAll(async () => {
  const made = ['--market', 'synthetic/TAB-USDT', '--from', '2024-01-01', '--days', '2', '--interval', '1h']
  expect((await dcalab(['candles', 'generate', ...made])).code).toBe(0)
  const study = {
    ...{ name: 'my-ladder', market, period: { from: '2024-01-01', to: '2024-01-03' }, base: STUDY_BASE },
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: [1] },
  }
  const file = join(folder, 'study.json')
  writeFileSync(file, JSON.stringify(study))
  expect((await dcalab(['run', file])).code).toBe(0)
  const ladder = join(folder, 'ladder.json')
  writeFileSync(ladder, JSON.stringify({ config: { ...market, ...STUDY_BASE, dcaPriceScalePercent: 1 } }))
  expect((await dcalab(['bots', 'create', ladder, '--name', 'my-bot'])).code).toBe(0)
})

/** The words that fit at the end of these, without what they are. */
async function fitting(...words: string[]): Promise<string[]> {
  const { code, out, err } = await dcalab(['complete', '--', ...words])
  expect([code, err]).toEqual([0, ''])
  return out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]]))
}

it.each<[string, readonly string[], readonly string[]]>([
  ['a command', ['leaderb'], ['leaderboard']],
  ['a command of a group', ['candles', 'im'], ['import']],
  ['a command of a group in a group', ['serve', 'keys', 'is'], ['issue']],
  ['a flag', ['run', 'x', '--allowance-'], ['--allowance-window']],
  ['a value that is one of a few', ['report', 'x', '--format', 's'], ['svg']],
  ['a value after an equals sign, as bash cuts it', ['report', 'x', '--format', '=', 's'], ['svg']],
  ['nothing that is known', ['service', 'limits', 'x'], []],
  ['a study', ['leaderboard', 'my'], ['my-ladder']],
  ['a study, or its file', ['run', 'my'], ['my-ladder', ':files']],
  ['one of several studies', ['report', 'a', 'b', 'my'], ['my-ladder']],
  ['a study or a trial', ['promote', 'my'], ['my-ladder']],
  ['a bot', ['bots', 'compare', 'm'], ['my-bot']],
  ['a market', ['candles', 'export', 'syn'], ['synthetic/TAB-USDT']],
  ['a market of a flag', ['study', 'init', '--market', 's'], ['synthetic/TAB-USDT']],
  ['a service', ['leaderboard', 'my-ladder', '--service', 'e'], ['embedded']],
  ['a view', ['export', 'my-ladder', '--view', 'equity'], ['equity_daily']],
  [
    'a column in a statement',
    ['sql', '"select net_profit, max_drawdown_p'],
    ['select net_profit, max_drawdown_percent'],
  ],
  ['a file', ['candles', 'import', ''], [':files']],
])('Tab completes %s', async (_, words, expected) => {
  expect(await fitting(...words)).toEqual(expected)
})

it('a configuration is completed from its first digits, and no other is', async () => {
  const [trial] = await fitting('show', '')
  expect(trial).toMatch(/^[0-9a-f]{8}$/)
  expect(await fitting('show', trial.slice(0, 4))).toEqual([trial])
  expect(await fitting('show', 'g')).toEqual([])
})

it('names come from the store that the line names, and where there is none nothing fits', async () => {
  const other = program(temporaryFolder())
  expect((await other(['complete', '--', 'leaderboard', ''])).out).toBe('')
  const named = ['leaderboard', '--store', join(folder, 'workbench.sqlite'), 'my']
  expect((await other(['complete', '--', ...named])).out).toBe('my-ladder\tstudy\n')
})

const environment = {
  ...{ PATH: process.env.PATH ?? '', HOME: folder, TERM: 'dumb' },
  ...{ DCALAB_STORE: join(folder, 'workbench.sqlite'), DCALAB_CANDLES: join(folder, 'candles') },
}

/** How each shell is made to complete these lines, one answer a line. */
const ASKED = ['candles im', 'report --format s', 'leaderboard my']
const SHELLS = {
  bash: (script: string) => `source ${script}
ask() { COMP_WORDS=(dcalab "$@"); COMP_CWORD=$#; _dcalab; echo "\${COMPREPLY[*]}"; }
${ASKED.map((line) => `ask ${line}`).join('\n')}`,
  fish: (script: string) => `source ${script}
${ASKED.map((line) => `complete -C 'dcalab ${line}' | string split -f1 \\t`).join('\n')}`,
  zsh: (script: string) => `zmodload zsh/zpty
zpty t zsh -f -i
zpty -w t 'PS1= RPS1=; autoload -U compinit; compinit -u -D; source ${script}'
zpty -w t 'show() { print -r -- "<<\${\${(z)BUFFER}[-1]}>>"; BUFFER=; }; zle -N show; bindkey "^X" show; print rea""dy'
zpty -r t said '*ready*'
for line in ${ASKED.map((line) => `'${line}'`).join(' ')}; do
  zpty -w -n t "dcalab $line"$'\\t\\x18'
  zpty -r t said '*<<*>>*'
  print -r -- "\${\${said##*<<}%%>>*}"
done`,
}

describe.each(Object.entries(SHELLS))('%s', (shell, ask) => {
  const isThere = spawnSync(shell, ['-c', 'exit 0']).status === 0
  if (!isThere) process.stderr.write(`skipped: needs ${shell}\n`)

  it.skipIf(!isThere)('completes a command, a value and the name of a study', async () => {
    const script = join(folder, `dcalab.${shell}`)
    writeFileSync(script, (await dcalab(['completion', shell])).out)
    const asked = join(folder, `ask.${shell}`)
    writeFileSync(asked, ask(script))
    const said = execFileSync(shell, [asked], { cwd: folder, env: environment, encoding: 'utf8', timeout: 60_000 })
    expect(said.trim().split('\n')).toEqual(['import', 'svg', 'my-ladder'])
  })
})

it('another shell is refused with those that are known', async () => {
  const { code, err } = await dcalab(['completion', 'tcsh'])
  expect([code, err]).toEqual([2, expect.stringContaining('bash, zsh, fish')])
})

it.each<[readonly string[], string]>([
  [['leaderboard', 'my-lader'], 'the store has no study "my-lader"; did you mean my-ladder?'],
  [['status', 'myladder'], 'the store has no study "myladder"; did you mean my-ladder?'],
  [['study', 'list', 'my-laddr'], 'did you mean my-ladder?'],
  [['run', 'my-laddder'], 'no such file, and no stored study has this name; did you mean my-ladder?'],
  [['promote', 'my-lader'], 'did you mean my-ladder?'],
  [['report', 'my-lader'], 'did you mean my-ladder?'],
  [
    ['show', 'my-ladder'],
    'found the name of a study, my-ladder\nhint: `dcalab leaderboard my-ladder` lists its configurations',
  ],
  [['run', join(folder, 'stduy.json')], 'did you mean '],
  [['run', join(folder, 'nowhere', 'study.json')], '(nor a folder '],
  [['service', 'symbols', 'sinthetic'], 'the service has no exchange sinthetic; did you mean synthetic?'],
  [['candles', 'generate'], '`dcalab candles generate --market <market> --from <date> --days <n>`'],
  [['bots', 'show', 'mybot'], 'the service does not know it; did you mean my-bot?'],
  [['sql', 'select net_proft from results'], 'did you mean net_profit?'],
  [['candles', 'check', 'synthetic/TBA-USDT'], 'did you mean synthetic/TAB-USDT?'],
  [['candles', 'export', 'sinthetic/TAB-USDT'], 'did you mean synthetic/TAB-USDT?'],
  [
    ['candles', 'check', 'synthetic/TABUSDT'],
    'is neither a candle file nor a market; did you mean synthetic/TAB-USDT?',
  ],
  [['candles', 'resample', 'synthetic/TABUSDT', '--into', '1d'], 'did you mean synthetic/TAB-USDT?'],
])('a name that is misspelt is answered with the one that was meant: %s', async (words, said) => {
  expect((await dcalab(words)).err).toContain(said)
})

it('a bot is named by the digits of its id, too', async () => {
  const [{ id }] = JSON.parse((await dcalab(['bots', 'list', '--json'])).out)
  const [, digits] = id.split('_')
  expect(JSON.parse((await dcalab(['bots', 'show', digits.slice(0, 4), '--json'])).out)).toMatchObject({ id })
})
