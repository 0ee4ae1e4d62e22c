/** The recipes of the guide for agents and scripts, run as they stand: by the shell, and by the SDK's own client at the built program. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, expect, it } from 'vitest'
import { type Desk, desk, type Ended, ended, program } from '../support/dcalab.ts'
import { readRecipes } from '../support/recipes.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const recipes = readRecipes('agents.md')
const study = {
  name: 'told',
  market: { exchange: 'synthetic', baseAsset: 'A', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-02' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [1, 2] },
}

let at: Desk
let environment: Record<string, string>
beforeAll(async () => {
  at = desk()
  await at.dcalab('candles generate --market synthetic/A-USDT --from 2024-01-01 --days 1 --seed 1'.split(' '))
  writeFileSync(join(at.folder, 'study.yaml'), JSON.stringify(study))
  const bin = join(at.folder, 'bin')
  mkdirSync(bin)
  const begun = `exec "${process.execPath}" "${program}" "$@"\n`
  for (const path of [join(bin, 'dcalab'), join(at.folder, 'dcalab')]) {
    writeFileSync(path, `#!/bin/sh\n${begun}`)
    chmodSync(path, 0o755)
  }
  environment = { PATH: `${bin}:${process.env.PATH ?? ''}`, HOME: at.folder }
})

function recipe(name: string): string {
  const found = recipes.get(name)
  if (found === undefined) throw new Error(`the guide has no recipe "${name}"`)
  return found
}

function shell(name: string): Promise<Ended> {
  return ended(
    spawn('sh', ['-c', recipe(name)], { cwd: at.folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

/** A client as the recipe configures it. It has left when `work` is done. */
async function asClient<T>(name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const { command, args } = JSON.parse(recipe(name)).mcpServers.dcalab
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command, args, env: environment, cwd: at.folder, stderr: 'ignore' }))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

it('a run writes its log and tells a command how it ended', async () => {
  const { code, stdout } = await shell('run and report')
  expect([code, stdout]).toEqual([0, expect.stringContaining('told: 2 of 2 done')])
  expect(readFileSync(join(at.folder, 'ended.txt'), 'utf8')).toBe('told: 2 of 2 done\n')
  const kinds = readFileSync(join(at.folder, 'run.ndjson'), 'utf8').trimEnd().split('\n')
  expect(kinds.map((line) => JSON.parse(line).kind)).toEqual(expect.arrayContaining(['progress', 'end', 'onEnd']))
})

it('an agent is connected as the guide says, without a budget and with one, and its runs are found', async () => {
  const { tools, prompts } = await asClient('client', async (client) => {
    const { content } = await client.callTool({ name: 'leaderboard', arguments: { study: 'told' } })
    expect(JSON.stringify(content)).toContain('netProfit')
    return { ...(await client.listTools()), ...(await client.listPrompts()) }
  })
  expect(tools.map(({ name }) => name)).not.toContain('run_study')
  const spending = await asClient('client with a budget', async (client) => {
    const text = JSON.stringify({ ...study, name: 'asked', grid: { dcaPriceScalePercent: [3] } })
    const { structuredContent } = await client.callTool({ name: 'run_study', arguments: { text } })
    expect(structuredContent).toMatchObject({
      trials: { done: 1 },
      budget: { limit: 20, used: 1, left: 19 },
    })
    return { ...(await client.listTools()), ...(await client.listResources()) }
  })
  const { stdout } = await shell('agent runs')
  expect(stdout).toMatch(/^asked .* 1$/m)
  expect(stdout).not.toContain('told')

  // The guide names every tool and every resource.
  const page = readFileSync(new URL('../../src/guide/agents.md', import.meta.url), 'utf8')
  const named = [
    ...prompts.map(({ name }) => name),
    ...spending.tools.map(({ name }) => name),
    ...spending.resources.map(({ uri }) => uri),
  ]
  for (const name of named) expect(page).toContain(`\`${name}\``)
})
