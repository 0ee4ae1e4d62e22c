/** A run that follows a search asks it for the next batch when everything of the one before has ended. */

import type { Searching } from '../store/kept-proposals.ts'
import { historyFrom, type KeptProposal, readProposals, recordProposals } from '../store/kept-proposals.ts'
import { listForeignIds } from '../store/ledger.ts'
import type { Proposal, SearchState, TestedProposal } from '../study/proposals.ts'
import type { OpenRun } from './open-run.ts'
import { haveEnded } from './run-state.ts'

/** Goes on with what was proposed before, on the service that was met. */
export function followSearch(run: OpenRun, searching: Searching): void {
  const { store, study, serviceAccount, isOwn } = run
  const searcher = { study, ...serviceAccount }
  run.workQueue.take(proposalsOf(run, searching))
  run.workQueue.follow(searching.start({ ...serviceAccount, isOwn, asked: run.asked, store, searcher, study }))
}

/** Those that this search is about: a hold-out has proposals of its own. */
function proposalsOf(run: OpenRun, { roles }: Searching): readonly KeptProposal[] {
  return readProposals(run.store, { study: run.study, ...run.serviceAccount }).filter(({ role }) =>
    roles.includes(role),
  )
}

/** Asks for the next batch, and writes it down. */
export async function askSearch(run: OpenRun, searching: Searching): Promise<void> {
  const { workQueue } = run
  if (workQueue.method === null) return
  await run.options.complete?.()
  const advice = await workQueue.method.propose(historyOf(run))
  if (advice.kind === 'end') {
    workQueue.end(advice.stoppedBy)
    return
  }
  if (searching.recordTogether === undefined) return takeUp(run, searching, advice.proposals)
  workQueue.hold(advice.proposals)
  run.serviceAllowance.want(countJobs(advice.proposals))
}

/** How many jobs proposals are that are not written down yet; a trial that is done already is counted too. */
export function countJobs(proposals: readonly Proposal[]): number {
  return proposals.reduce((sum, { markets }) => sum + markets.length, 0)
}

/** There is room for what was held back. */
export async function takeUpHeld(run: OpenRun, searching: Searching): Promise<void> {
  const { held } = run.workQueue
  run.workQueue.hold([])
  run.serviceAllowance.want(1)
  await takeUp(run, searching, held)
}

/** Writes proposals down, from where they are sent. */
async function takeUp(run: OpenRun, searching: Searching, proposals: readonly Proposal[]): Promise<void> {
  const { workQueue, store } = run
  if (workQueue.method === null) return
  const before = workQueue.proposals.length
  const searcher = { study: run.study, ...run.serviceAccount }
  if (searching.recordTogether === undefined)
    await recordProposals(store, searcher, { proposals, period: searching.period })
  else await searching.recordTogether(searcher, proposals)
  workQueue.take(proposalsOf(run, searching))
  // Jobs of a lost store, say, are unknown ones until their trials are proposed: the list is read again before these are sent.
  if (listForeignIds(store, run.serviceAccount).size > 0) run.polls.surveyAgain()
  const added = workQueue.proposals.slice(before)
  if (added.length === 0) throw new Error('a search proposed only what it had proposed before')
  for (const line of workQueue.method.describe(historyOf(run)).lines)
    run.messages.emit({ kind: 'search', message: line })
  run.messages.emit({ kind: 'search', message: `sending ${describeProposals(added, run)}` })
}

/** Every batch whose trials have all ended: to a search, a part of a batch would look like a whole one. */
function historyOf(run: OpenRun): readonly TestedProposal[] {
  const stages = run.recall.stages()
  const { proposals } = run.workQueue
  const open = new Set(proposals.flatMap(({ batch, trials }) => (haveEnded(trials, stages) ? [] : [batch])))
  return historyFrom(
    run.store,
    proposals.filter(({ batch }) => !open.has(batch)),
    stages,
  )
}

/** How the search stands; null without one. */
export function stateOfSearch(run: OpenRun): SearchState | null {
  return run.workQueue.method?.describe(historyOf(run)) ?? null
}

/** A trial that is done already, as of another batch or study, is no job; run again on purpose, it is. */
function describeProposals(proposals: readonly KeptProposal[], { recall, options }: OpenRun): string {
  const stages = options.rerun === true ? new Map<string, never>() : recall.stages()
  const reasons = proposals.map(({ reason }) => reason)
  const trials = proposals.flatMap((proposal) => proposal.trials)
  const jobs = trials.filter(({ fingerprint }) => stages.get(fingerprint)?.state !== 'done').length
  const said = reasons.length <= 2 ? reasons.join(' and ') : `${reasons[0]} to ${reasons.at(-1)}`
  const known = jobs < trials.length ? `; ${trials.length - jobs} known already` : ''
  return `${said} (${jobs} job${jobs === 1 ? '' : 's'}${known})`
}
