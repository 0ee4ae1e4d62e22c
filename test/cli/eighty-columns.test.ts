/** What is printed on a terminal of 80 columns, on four stores. */
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fieldTitle } from '../../src/cli/metrics-table.ts'
import { CONFIG_FIELDS } from '../../src/contract/bot.ts'
import { configFingerprint } from '../../src/workbench/study/fingerprint.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { storeSeveralMarkets } from '../workbench/store/several-markets.ts'

const GRID = {
  dcaInitialOrderSize: [20, 25.5],
  dcaMaxSafetyOrders: [3, 12],
  dcaPriceScalePercent: [1, 2],
  dcaVolumeScale: [1.2, 1.3704475],
  dcaPriceStepMultiplier: [1, 1.125],
  takeProfit: [1, 1.5],
  stopLoss: [0, 35],
}

const STORES = {
  empty: null,
  'one market, seven parameters': {
    made: { BTC: [9.25, -3.5] },
    more: { grid: GRID, base: { investment: 1000, dcaTotalBudget: 1000 } },
  },
  'three markets': { made: { BTC: [9, 3, 4], ETH: [-8, 3, 2], SOL: [-1, 2, 9] } },
  'a screen with a failure': {
    made: { BTC: [9, null, 4, 7] },
    roles: ['sample', 'chosen', 'chosen', 'chosen'] as const,
    more: { objective: { maximize: 'winRatePercent', where: { maxDrawdownPercent: { max: 30 } } } },
  },
} satisfies Record<string, Parameters<typeof storeSeveralMarkets>[0] | null>

const COMMANDS = [
  'status',
  'status several',
  'study list',
  'study list several',
  'leaderboard several',
  'leaderboard several --top 2',
  'show ID',
  'compare ID OTHER',
  'verdict several',
  'promote several --dry-run',
  'candles list',
  'service jobs list',
  'bots list',
  'sql "select * from trials limit 2"',
  'holdout several',
]

/** Every parameter of a configuration, and what says that something is wrong or how far it is. */
const NEVER_HIDDEN = [
  ...CONFIG_FIELDS.map(fieldTitle),
  ...['state', 'done', 'running', 'waiting', 'failed', 'unresolved', 'real', 'verdict', 'alarm'],
]

describe.each(Object.entries(STORES))('%s', (name, made) => {
  it('has no line over 80, no broken word, and every parameter that differs', async () => {
    const stored = made === null ? undefined : await storeSeveralMarkets(made)
    const folder = stored === undefined ? temporaryFolder() : dirname(stored.store.db.name)
    const dcalab = program(folder, {}, { onTerminal: true, talkOnTerminal: true, columns: 80 })
    const [id, other] = [...new Set(stored?.trials.map(({ config }) => configFingerprint(config).slice(0, 8)))]
    const said: string[] = []
    for (const command of COMMANDS) {
      const line = command.replace('ID', `${id}@BTC-USDT`).replace('OTHER', `${other}@BTC-USDT`)
      const words = line.match(/"[^"]+"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
      const { out, err } = await dcalab(words)
      const text = `${out}${err}`.replaceAll(folder, '(folder)')
      expect(overlong(text), line).toEqual([])
      said.push(`$ dcalab ${line}\n${text}`)
      const [, titles] = /columns? hidden: ([^;]*);/.exec(out.replaceAll(/\s+/g, ' ')) ?? []
      if (!command.startsWith('sql')) {
        const wide = await dcalab([...words, '--wide'])
        const missing = wordsOf(wide.out).filter((word) => /^\D*[a-z]\D*$/.test(word) && !wordsOf(out).includes(word))
        expect(missing.filter((word) => !titles?.includes(word))).toEqual([])
      }
      expect(NEVER_HIDDEN.filter((title) => titles?.split(', ').includes(title))).toEqual([])
    }
    await expect(untimely(said.join('\n'))).toMatchFileSnapshot(
      join('../golden/eighty-columns', `${name.replaceAll(/\W+/g, '-')}.txt`),
    )
  })
})

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/)
}

/** What is pasted is whole, and a word that is wider than the terminal is not broken. */
function overlong(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.length > 80 && !line.startsWith('next: ') && line.trim().includes(' '))
}

/** Without progress, which is there where a command takes long, and without what differs from run to run. */
function untimely(text: string): string {
  return text
    .split('\r\u001b[2K')
    .filter((part, index, { length }) => index === 0 || index === length - 1 || part.includes('\n'))
    .join('')
    .replaceAll(/embedded:[0-9a-f]+/g, 'embedded:…')
    .replaceAll(/bot_[0-9a-f]+/g, 'bot_…')
    .replaceAll(/demo-[0-9a-f]+@/g, 'demo-…@')
    .replaceAll(/20(?!21|26-01)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '(time)')
}
