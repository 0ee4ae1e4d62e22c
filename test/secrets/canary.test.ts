/**
 * R8, H55: the keys are nowhere but in the headers of requests to their own service. Forty-odd ways to fail, with a service that throws
 * the keys back in every spelling; then every byte of output and every file is searched for five spellings of both.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { httpService, studyOf } from '../proc/http-service.ts'
import { desk, ended, program } from '../support/dcalab.ts'
import { share } from '../support/share.ts'
import { storedTexts } from '../support/stored-bodies.ts'
import { byTurn } from '../support/turn.ts'
import { API_KEY, SECRET_KEY } from '../workbench/api/world.ts'
import { echo, PATHS, type Path } from './paths.ts'

/** What is looked for: plain, percent-encoded, JSON-escaped, base64 and hex. */
const SPELLINGS = [API_KEY, SECRET_KEY].flatMap((key) => [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  ...[0, 1, 2].map((offset) => base64Core(key, offset)),
  Buffer.from(key).toString('hex'),
])

/** The part of a base64 text that depends on the key alone when `offset` bytes stand before it. */
function base64Core(key: string, offset: number): string {
  const text = Buffer.from(`${'\0'.repeat(offset)}${key}`)
    .toString('base64')
    .replaceAll('=', '')
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + key.length) * 8) / 6))
}
/** Most of them wait for a service. */
const lanes = 6

const all = Object.entries(PATHS)
/** At length all; here one in twelve, others at each commit. */
const paths = share({ usual: byTurn(all, 12), long: all })

it(`${paths.length} of ${all.length} paths: neither key in any output or file, in five spellings`, async () => {
  const found: string[] = []
  const lane = async (first: number) => {
    for (let n = first; n < paths.length; n += lanes) found.push(...(await walk(paths[n][0], paths[n][1])))
  }
  await Promise.all(Array.from({ length: lanes }, (_, first) => lane(first)))
  expect(found).toEqual([])
  expect(all.length).toBeGreaterThanOrEqual(40)
}, 400_000)

it('the search finds keys where there are some (control)', () => {
  for (const spelling of SPELLINGS) expect(hits(`before ${spelling} after`)).not.toEqual([])
  expect(hits(echo).length).toBeGreaterThan(3)
})

async function walk(name: string, path: Path): Promise<string[]> {
  const at = desk()
  const { answer } = path
  const service = await httpService({
    delayMs: (method) => (path.signal !== undefined && method === 'POST' ? 3_000 : 0),
    instead: (request) => {
      // The first read has to tell who the service is, or nothing else would be reached.
      const isFirst = request.method === 'GET' && request.url === '/api/backtest/limits' && answer?.to === 'POST'
      if (answer === undefined || isFirst || request.method !== answer.to) return undefined
      return {
        status: answer.status,
        body: answer.body,
        headers: { 'content-type': 'application/json', ...answer.headers },
      }
    },
  })
  try {
    writeFileSync(join(at.folder, 'study.json'), studyOf(4))
    path.prepare?.(at)
    const environment = {
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: API_KEY,
      DCALAB_SECRET_KEY: SECRET_KEY,
      ...path.environment,
    }
    const child = at.startNode([...(path.node ?? []), program, ...path.args], environment)
    const end = ended(child)
    // Some of these wait for a better time; a look at the first seconds is enough.
    const stop = setTimeout(() => child.kill('SIGINT'), path.signal === undefined ? 6_000 : 2_500)
    const harder = setTimeout(() => child.kill('SIGKILL'), 20_000)
    const hit = path.signal === undefined ? undefined : setTimeout(() => child.kill(path.signal), 1_500)
    const { stdout, stderr } = await end
    for (const timer of [stop, harder, hit]) clearTimeout(timer)
    if (path.signal === undefined) expect(`${stdout}${stderr}`.length, name).toBeGreaterThan(0)
    return [
      ...hits(stdout).map((spelling) => `${name}: stdout holds ${spelling}`),
      ...hits(stderr).map((spelling) => `${name}: stderr holds ${spelling}`),
      ...filesOf(at.folder).flatMap((file) =>
        textsOf(file)
          .flatMap(hits)
          .map((spelling) => `${name}: ${file} holds ${spelling}`),
      ),
    ]
  } finally {
    await service.close()
  }
}

function hits(text: string): string[] {
  return SPELLINGS.filter((spelling) => text.includes(spelling))
}

/** The bytes of a file; of a store what it holds compressed, too. */
function textsOf(file: string): string[] {
  return [readFileSync(file).toString('latin1'), ...(file.endsWith('workbench.sqlite') ? storedTexts(file) : [])]
}

/** Store, log, spill, locks, Node's reports, core files: everything but the `.env` that the test itself wrote. */
function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith('.env'))
}
