/** `./dcalab` of a clone: from any folder, through links, on that folder's data; and `npx dcalab` installs nothing under the clone's `.npmrc`. */
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Ended, ended, projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'

const launcher = join(projectRoot, 'dcalab')

function run(command: string, args: readonly string[], cwd: string, environment = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, ...environment }
  return ended(spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

it('works through links, in another folder, on the data that lie there', async () => {
  const folder = join(temporaryFolder(), 'two words')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  symlinkSync(launcher, join(folder, 'bin/first'))
  symlinkSync('first', join(folder, 'bin/dcalab'))
  const made = '--market synthetic/L-USDT --from 2024-01-01 --days 1 --interval 1h'.split(' ')
  expect((await run(join(folder, 'bin/dcalab'), ['candles', 'generate', ...made], folder)).code).toBe(0)
  const { stdout } = await run('dcalab', ['candles', 'list'], folder, {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  })
  expect(stdout).toContain('synthetic/L-USDT')
})

it('hints name the program as it is called where the reader is', async () => {
  const folder = temporaryFolder()
  const hintIn = async (cwd: string) => (await run(launcher, ['sql', '--show'], cwd)).stderr
  expect(await hintIn(projectRoot)).toContain('hint: for instance `./dcalab sql "select')
  expect(await hintIn(folder)).toContain('hint: for instance `dcalab sql "select')
  const { stdout } = await run(launcher, ['run', '--help'], projectRoot)
  expect(stdout).toContain('$ ./dcalab run studies/btc-may-2021.yaml')
  expect(stdout).not.toMatch(/(?<!\.\/)dcalab run/)
})

it('a clone without `npm ci` says so', async () => {
  const folder = temporaryFolder()
  copyFileSync(launcher, join(folder, 'dcalab'))
  const { code, stderr } = await run('sh', [join(folder, 'dcalab'), 'demo'], folder)
  expect([code, stderr]).toEqual([2, `error: dcalab is not installed yet: run npm ci in ${folder}\n`])
})

it('`npx dcalab` in an empty folder installs nothing under the .npmrc of the clone, and without it what somebody published', async () => {
  const package_ = join(temporaryFolder(), 'package')
  mkdirSync(package_)
  writeFileSync(join(package_, 'bin.js'), '#!/usr/bin/env node\nconsole.log("somebody\'s")\n')
  const manifest = { name: 'dcalab', version: '9.9.9', bin: { dcalab: 'bin.js' } }
  writeFileSync(join(package_, 'package.json'), JSON.stringify(manifest))
  execFileSync('tar', ['czf', 'p.tgz', 'package'], { cwd: join(package_, '..') })
  const taken: string[] = []
  const registry = createServer((request, response) => {
    taken.push(request.url ?? '')
    if (request.url?.endsWith('.tgz')) return void response.end(readFileSync(join(package_, '../p.tgz')))
    const version = { ...manifest, dist: { tarball: `http://${request.headers.host}/p.tgz` } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name: 'dcalab', 'dist-tags': { latest: '9.9.9' }, versions: { '9.9.9': version } }))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  const address = registry.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const npx = async (folder: string) => {
    const cache = join(temporaryFolder(), 'cache')
    const environment = {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: cache,
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    }
    return { ...(await run('npx', ['dcalab'], folder, environment)), taken: taken.splice(0) }
  }
  try {
    const empty = temporaryFolder()
    const published = { code: 0, stdout: "somebody's\n", taken: expect.arrayContaining(['/p.tgz']) }
    expect(await npx(empty)).toMatchObject(published)
    copyFileSync(join(projectRoot, '.npmrc'), join(empty, '.npmrc'))
    const { code, stdout, stderr, taken } = await npx(empty)
    expect([code, stdout, taken.filter((path) => path.endsWith('.tgz'))]).toEqual([1, '', []])
    expect(stderr).toContain('npx canceled due to missing packages')
  } finally {
    registry.close()
  }
})
