/** The README's own study, pasted line by line into a terminal of 80 × 24. */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { hasPty, onPty } from '../support/pty.ts'

it.skipIf(!hasPty)(
  'ends in a report of one’s own, and in a demo bot that trades where its grade is accepted',
  async () => {
    const folder = temporaryFolder()
    const other = program(temporaryFolder())
    const made = ['--market', 'binance/ETH-USDT', '--from', '2025-05-20', '--days', '5', '--volatility', '150']
    expect((await other(['candles', 'generate', ...made])).code).toBe(0)
    expect(
      (await other(['candles', 'export', 'binance/ETH-USDT', '--out', join(folder, 'eth-minutes.csv')])).code,
    ).toBe(0)
    symlinkSync(join(projectRoot, 'dcalab'), join(folder, 'dcalab'))
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin/xdg-open'), '#!/bin/sh\n')
    chmodSync(join(folder, 'bin/xdg-open'), 0o755)
    const environment = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, NO_COLOR: '1', PAGER: 'cat' }
    const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8')
    const [, block = ''] = /## Your own study\s+```sh\n([^`]*)```/.exec(readme) ?? []
    const lines = block.trim().split('\n')
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) {
      const { code, shown } = await onPty(line, { folder, environment, typed: [['[y/N]', 'y\n']] })
      if (line.includes(' promote ') && code !== 0) {
        const [, accept = ''] = /add (--accept \w+)/.exec(shown) ?? []
        const [command = ''] = line.split(' #')
        const accepted = await onPty(`${command.trim()} --yes ${accept}`, { folder, environment })
        expect(accepted.code, accepted.shown).toBe(0)
      } else expect(code, `${line}\n${shown}`).toBe(0)
    }
    expect(existsSync(join(folder, 'reports/my-ladder.html'))).toBe(true)
    const { shown } = await onPty('./dcalab bots list', { folder, environment })
    const [bot = ''] = /^dcalab-my-ladder-[0-9a-f]{8}/m.exec(shown) ?? []
    const traded = await onPty(`./dcalab bots trades ${bot}`, { folder, environment })
    expect(traded.shown).toMatch(/takeProfit/)
  },
  300_000,
)
