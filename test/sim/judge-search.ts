/** The judge of a search (R17): what it proposed is in the store, what was sent and when is in the service's book. */
import Database from 'better-sqlite3'
import { marketName } from '../../src/contract/market.ts'
import type { Played } from '../workbench/search/scripted.ts'
import type { BookedJob } from './service.ts'

/** A trial that was proposed; its take profit names the configuration. */
export interface ProposedTrial {
  readonly batch: number
  readonly role: string
  readonly reason: string
  readonly market: string
  readonly takeProfit: number
}

export function readProposed(storePath: string, study: string): readonly ProposedTrial[] {
  const db = new Database(storePath, { readonly: true })
  try {
    const rows = db.prepare<[string], ProposedTrial>(
      `select p.batch, p.role, p.reason, t.market, t.take_profit_percent as takeProfit from proposal p
       join trial t on t.fingerprint = p.fingerprint where p.study = ? order by p.position`,
    )
    return rows.all(study)
  } finally {
    db.close()
  }
}

/** What a search proposes where nothing disturbs it. */
export function expectedTrials({ steps }: Played): readonly ProposedTrial[] {
  return steps.flatMap(({ advice }, step) =>
    advice.kind === 'end'
      ? []
      : advice.proposals.flatMap(({ config: { takeProfit }, role, reason, markets }) =>
          markets.map((market) => ({ batch: step + 1, role, reason, market: marketName(market), takeProfit })),
        ),
  )
}

export interface JudgedSearch {
  readonly proposed: readonly ProposedTrial[]
  readonly expected: readonly ProposedTrial[]
  /** undefined = it has not come to its end. */
  readonly end: Played['stoppedBy'] | undefined
  readonly expectedEnd: Played['stoppedBy']
  /** Of this search, sent by us. */
  readonly jobs: readonly BookedJob[]
  readonly isRejected: (takeProfit: number) => boolean
  /** It may pay for. */
  readonly configs: number
}

/** One job for each proposal, batch after batch, never more than may be paid for, and what an undisturbed search would have done. */
export function judgeSearch(judged: JudgedSearch): readonly string[] {
  const { proposed, expected, end, expectedEnd, jobs, isRejected, configs } = judged
  const [said, wanted] = [proposed, expected].map((trials) => trials.map((trial) => Object.values(trial).join(' ')))
  const isSame = said.join() === wanted.slice(0, said.length).join()
  const isWhole = end === undefined || (said.length === wanted.length && end === expectedEnd)
  const sent = new Map(jobs.map((job) => [trialOf(job), job]))
  const paid = new Set(jobs.map(({ request }) => request.takeProfit))
  const names = new Set(proposed.map(nameOf))
  const missing = proposed.filter((trial) => !sent.has(nameOf(trial)) && !isRejected(trial.takeProfit))
  return [
    ...(isSame && isWhole ? [] : [`proposed ${said.join('; ')} (${end}) for ${wanted.join('; ')} (${expectedEnd})`]),
    ...[...sent.keys()].filter((name) => !names.has(name)).map((name) => `${name} was sent and not proposed`),
    ...(end === undefined ? [] : missing.map((trial) => `${nameOf(trial)} was proposed and never sent`)),
    ...(paid.size > configs ? [`${paid.size} of ${configs} configurations were paid for`] : []),
    ...findHaste(proposed, jobs),
  ]
}

function nameOf({ market, takeProfit }: Pick<ProposedTrial, 'market' | 'takeProfit'>): string {
  return `${market} ${takeProfit}`
}

function trialOf({ request: { exchange, baseAsset, quoteAsset, takeProfit } }: BookedJob): string {
  return nameOf({ market: `${exchange}/${baseAsset}-${quoteAsset}`, takeProfit: Number(takeProfit) })
}

/** Jobs that came before every job of the batches before theirs had ended. */
function findHaste(proposed: readonly ProposedTrial[], jobs: readonly BookedJob[]): readonly string[] {
  const batchOf = new Map(proposed.toReversed().map((trial) => [nameOf(trial), trial.batch]))
  // Of a request that was delivered twice, one of the two jobs is the trial's.
  const firsts = [...Map.groupBy(jobs, trialOf)].map(([trial, same]) => ({
    trial,
    batch: batchOf.get(trial) ?? 0,
    cameAt: Math.min(...same.map(({ createdAt }) => createdAt)),
    endedAt: Math.min(...same.map(({ endsAt }) => endsAt)),
  }))
  return firsts.flatMap(({ trial, batch, cameAt }) =>
    firsts
      .filter((before) => before.batch < batch && before.endedAt > cameAt)
      .map((before) => `${trial} of batch ${batch} came before ${before.trial} of batch ${before.batch} had ended`),
  )
}
