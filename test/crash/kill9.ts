/** Real kills: the built program against a service in another process, SIGKILL at random moments, the service's book as judge. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { type HttpService, httpService, studyOf } from '../proc/http-service.ts'
import { createRandom } from '../sim/random.ts'
import { type Desk, desk, ended } from '../support/dcalab.ts'

export interface Killing {
  readonly kills: number
  /** Those of them that fell upon a program that had sent something. */
  readonly inFlight: number
  readonly jobs: number
  /** What the books disagree on: nothing. */
  readonly bad: readonly string[]
}

/** So many kills, some programs at a time, each with a service, a store and kills of its own; says what came of it in one line. */
export async function killMany(rounds: number, killsPerRound: number, seed: number): Promise<void> {
  const done: Killing[] = []
  let next = 0
  const lane = async () => {
    while (next < rounds) done.push(await killAndCompare({ kills: killsPerRound, seed: seed + next++ }))
  }
  await Promise.all(Array.from({ length: Math.min(rounds, lanes) }, lane))
  const sum = (of: 'kills' | 'inFlight' | 'jobs') => done.reduce((total, one) => total + one[of], 0)
  const bad = done.flatMap((one) => one.bad)
  process.stdout.write(
    `R5: ${bad.length} bad after ${sum('kills')} kill -9, ${sum('inFlight')} in flight, ${sum('jobs')} jobs\n`,
  )
  expect(bad).toEqual([])
  expect(sum('kills')).toBe(rounds * killsPerRound)
  expect(sum('inFlight')).toBeGreaterThan(sum('kills') / 4)
}

const lanes = 4

/** Kills it so often, lets it finish, and compares the books. */
async function killAndCompare({ kills, seed }: { kills: number; seed: number }): Promise<Killing> {
  const at = desk()
  // Answers take a while, so that many kills fall between the arrival of a request and its answer.
  const service = await httpService({ delayMs: (method) => (method === 'POST' ? 120 : 5) })
  const random = createRandom(seed)
  const trials = 400
  try {
    writeFileSync(join(at.folder, 'study.json'), studyOf(trials))
    let inFlight = 0
    for (let n = 0; n < kills; n++) {
      const before = service.posts.length
      const run = at.start(runArguments, environmentOf(service))
      const end = ended(run)
      // From its first sign of life on: earlier kills hit nothing but the start of Node.
      const reads = service.service.requests.reads
      while (service.service.requests.reads === reads && run.exitCode === null) await delay(5)
      await Promise.race([delay(random.between(0, 2_600)), end])
      run.kill('SIGKILL')
      await end
      if (service.posts.length > before) inFlight++
    }
    // What is left would take minutes at four requests a second; the kills are what this is about.
    const last = await at.dcalab([...runArguments, '--max', '5', '--json'], environmentOf(service))
    expect(last.stderr).not.toMatch(/bug/)
    expect(last.code, last.stderr).toBe(0)
    return { kills, inFlight, jobs: service.service.book.length, bad: compare(at, service) }
  } finally {
    await service.close()
  }
}

const runArguments = ['run', 'study.json', '--settle', '0.3', '--rate', '100000', '--allowance', '100000']

function compare(at: Desk, { service }: HttpService): string[] {
  const db = new Database(join(at.folder, 'data/workbench.sqlite'), { readonly: true })
  try {
    const integrity = db.pragma('integrity_check', { simple: true })
    const stored = db.prepare<[], { id: string }>("select remote_id as id from job where state = 'done'").all()
    const known = new Set(stored.map(({ id }) => id))
    const doubles = service.book.length - new Set(service.book.map(({ config }) => config)).size
    return [
      ...(integrity === 'ok' ? [] : [String(integrity)]),
      ...service.book.flatMap(({ id }) => (known.has(id) ? [] : [`${id} is not stored`])),
      ...(doubles === 0 ? [] : [`${doubles} paid for twice`]),
    ]
  } finally {
    db.close()
  }
}

function environmentOf({ url }: HttpService) {
  return { DCALAB_BASE_URL: url, DCALAB_API_KEY: 'kill-key-1', DCALAB_SECRET_KEY: 'kill-secret-1' }
}

/** The tempting order: send, then write down what came back. Answers how many jobs were made twice in so many kills. */
export async function killNaiveProgram({ kills, seed }: { kills: number; seed: number }): Promise<number> {
  const at = desk()
  const service = await httpService({ delayMs: () => 30 })
  const random = createRandom(seed)
  try {
    const program = join(at.folder, 'naive.mjs')
    writeFileSync(program, naiveProgram)
    for (let n = 0; n < kills; n++) {
      const run = at.startNode([program, service.url, join(at.folder, 'done.txt')])
      const end = ended(run)
      const before = service.posts.length
      while (service.posts.length === before) await delay(2)
      await delay(random.between(0, 200))
      run.kill('SIGKILL')
      await end
    }
    return service.service.book.length - new Set(service.service.book.map(({ config }) => config)).size
  } finally {
    await service.close()
  }
}

const naiveProgram = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
const [url, file] = process.argv.slice(2)
const done = existsSync(file) ? readFileSync(file, 'utf8').split('\\n').length - 1 : 0
for (let n = done; ; n++) {
  const reply = await fetch(url + '/api/backtest/jobs', { method: 'POST', body: JSON.stringify({ name: 'n' + n, takeProfit: n }) })
  appendFileSync(file, (await reply.json()).id + '\\n')
}
`
