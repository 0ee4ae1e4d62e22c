/**
 * A world to search in: synthetic candles, a service in another process that tells nothing of its conventions, and a way to it on which answers to
 * submissions take a while, so that kills fall between the arrival of a request and its answer. The service's own file is the book.
 * The clocks of both processes run faster; what a disk, a network and a kill take does not.
 */
import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Desk, desk, ended, firstLine } from '../support/dcalab.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const market = 'synthetic/DEMO-USDT'
const answerMs = 120
/** A run rests seconds before it looks at its jobs again; between two kills nothing else would happen. */
export const clockSpeed = 10

const { takeProfit: _, ...base } = STUDY_BASE
/** 99 points; two probes, six samples, two batches, five on the hold-out. */
const study = {
  name: 'searched',
  market: { exchange: 'synthetic', baseAsset: 'DEMO', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-13' },
  base,
  objective: { maximize: 'netProfit' },
  grid: {
    dcaPriceScalePercent: { from: 0.5, to: 2.5, step: 0.25 },
    takeProfit: { from: 0.5, to: 3, step: 0.25 },
  },
  validate: { holdout: '3d' },
  search: { method: 'screen', configs: 30, samples: 6 },
}

export interface SearchedWorld {
  readonly at: Desk
  readonly environment: Readonly<Record<string, string>>
  /** Requests that arrived so far. */
  readonly arrived: { readonly reads: number; readonly posts: number }
  /** The names of the service's jobs. */
  book(): readonly string[]
  /** `batch role reason trial` of each proposal in the store, in their order. */
  proposals(): readonly string[]
  close(): Promise<void>
}

/** @param candles a folder with the candles of the study */
export async function searchedWorld(candles: string): Promise<SearchedWorld> {
  const at = desk()
  const clock = {
    NODE_OPTIONS: `--import ${new URL('faster-clock.mjs', import.meta.url)}`,
    CLOCK_FROM: String(Date.now()),
    CLOCK_SPEED: String(clockSpeed),
  }
  const serve = [
    ...['serve', '--undisclosed', '--allowance', '0', '--rate', '0', '--store', 'service.sqlite', '--json'],
    ...['--conventions', '{ intrabar: optimistic }', '--fee-percent', '0.2', '--candles-dir', candles],
  ]
  const served = at.start(serve, clock)
  const over = ended(served)
  const announced: unknown = JSON.parse(await firstLine(served))
  const { url, apiKey, secretKey } = announced as Record<'url' | 'apiKey' | 'secretKey', string> // `serve --json`
  const way = await slowWay(url)
  writeFileSync(join(at.folder, 'study.json'), JSON.stringify(study))
  return {
    at,
    environment: {
      ...clock,
      DCALAB_BASE_URL: way.url,
      DCALAB_API_KEY: apiKey,
      DCALAB_SECRET_KEY: secretKey,
      DCALAB_CANDLES: candles,
    },
    arrived: way.arrived,
    book: () => readColumn(join(at.folder, 'service.sqlite'), 'select name from jobs order by seq'),
    proposals: () =>
      readColumn(
        join(at.folder, 'data/workbench.sqlite'),
        "select batch || ' ' || role || ' ' || reason || ' ' || fingerprint from proposal order by position",
      ),
    close: async () => {
      await way.close()
      served.kill('SIGTERM')
      await over
    },
  }
}

/** Makes the candles of every world; returns their folder. */
export async function makeCandles(): Promise<string> {
  const at = desk()
  const about = ['--market', market, '--from', '2024-01-01', '--days', '12', '--interval', '1h', '--volatility', '80']
  const { code, stderr } = await at.dcalab(['candles', 'generate', ...about, '--start-price', '100', '--seed', '1'])
  if (code !== 0) throw new Error(stderr)
  return join(at.folder, 'data/candles')
}

function readColumn(path: string, sql: string): readonly string[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare<[], string>(sql).pluck().all()
  } finally {
    db.close()
  }
}

/** Passes requests on to the service, each on a connection of its own, and counts them. */
async function slowWay(service: string) {
  const arrived = { reads: 0, posts: 0 }
  const { host } = new URL(service)
  const server = createServer((asked, answer) => {
    const isPost = asked.method === 'POST'
    if (isPost) arrived.posts++
    else arrived.reads++
    const { method, url } = asked
    const breakOff = () => answer.destroy() // whoever asked was killed, or the service is gone
    const onward = request(`${service}${url}`, { method, headers: { ...asked.headers, host }, agent: false })
    onward.on('error', breakOff)
    onward.on('response', (reply) => {
      reply.on('error', breakOff)
      setTimeout(
        () => {
          answer.writeHead(reply.statusCode ?? 502, reply.headers)
          reply.pipe(answer)
        },
        isPost ? answerMs : 0,
      )
    })
    answer.on('error', breakOff)
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    arrived,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
