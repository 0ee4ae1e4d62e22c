/**
 * Submissions as a model sees them from outside: at most one open, so much spent. Any sequence of what may happen to them is held against
 * the store, and at every step the store is also told directly, by SQL, what must not happen (H45).
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { openAttempt, type RecordedOutcome, settleAttempt } from '../../../src/workbench/store/attempts.ts'
import { ATTEMPT_MOVES, type AttemptState } from '../../../src/workbench/store/states.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { isoTime } from '../../../src/workbench/store/tables.ts'
import { putEmptyStore } from '../../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { makeStudy, makeTrials } from '../run/setup.ts'
import { observation, spender, start } from './setup.ts'

const outcomes = ['acked', 'rejected', 'released', 'ambiguous'] as const
const judgements = ['adopted', 'absent', 'undecided'] as const
const states = Object.keys(ATTEMPT_MOVES) as AttemptState[] // keys of a const literal

const commands = fc.array(
  fc.record({
    act: fc.constantFrom('open', 'settle', 'judge', 'cheat'),
    trial: fc.integer({ min: 0, max: 3 }),
    outcome: fc.constantFrom(...outcomes),
    judgement: fc.constantFrom(...judgements),
    wish: fc.constantFrom(...states),
    victim: fc.nat(),
  }),
  { maxLength: 25 },
)

type Command = (typeof commands extends fc.Arbitrary<infer T> ? T : never)[number]

/** More of them than this do not fit: what is spent is asked inside the transaction that spends. */
const limit = 6

interface World {
  readonly store: Store
  readonly serviceAccount: { readonly identity: string; readonly account: string }
}

/** What the store must agree with after every command. `open`: the attempt without an outcome, and whether it has become unsure. */
interface Model {
  open: { readonly id: number; readonly unsure: boolean } | null
  spent: number
  jobs: number
  readonly states: Map<number, AttemptState>
}

const trials = makeTrials(4)

/** Every sequence has a store of its own. */
export async function holdSequences(numRuns: number): Promise<void> {
  const folder = folderInMemory()
  const service = { identity: spender.identity, simulated: false, origin: 'https://bots.example' }
  let sequences = 0
  try {
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const path = join(folder, `${++sequences}.sqlite`)
        putEmptyStore(path)
        const store = openStore(path, { system: testSystem({ sleep: 'jump' }) })
        await startStudyRun(store, { study: makeStudy(), trials, service, settingsOn: null })
        const model: Model = { open: null, spent: 0, jobs: 0, states: new Map() }
        const world = { store, serviceAccount: spender }
        for (const command of sequence) {
          await act(world, model, command)
          compare(world, model)
        }
        store.close()
        rmSync(path)
      }),
      { numRuns },
    )
  } finally {
    removeFolder(folder)
  }
}

async function act(world: World, model: Model, command: Command): Promise<void> {
  if (command.act === 'open') return open(world, model, command)
  if (command.act === 'cheat') return cheat(world, model, command)
  const { open: current } = model
  if (current === null || current.unsure !== (command.act === 'judge')) return
  const to = command.act === 'judge' ? command.judgement : command.outcome
  await settleAttempt(world.store, settlementOf(world, model, current.id, to))
  model.states.set(current.id, to)
  if (to === 'released') model.spent--
  model.open = to === 'ambiguous' ? { id: current.id, unsure: true } : null
}

async function open({ store, serviceAccount }: World, model: Model, { trial }: Command): Promise<void> {
  const opened = openAttempt(store, {
    ...serviceAccount,
    study: 'ladder',
    fingerprint: trials[trial].fingerprint,
    now: start,
    settingsId: null,
    runId: null,
    admit: (spent) => spent.length < limit,
  })
  if (model.spent >= limit) return expect(await opened).toBe('full')
  if (model.open !== null) return expect(opened).rejects.toThrow(/UNIQUE/)
  const attempt = await opened
  if (attempt === 'full') throw new Error('The ledger refused with room left')
  model.open = { id: attempt.id, unsure: false }
  model.spent++
  model.states.set(attempt.id, 'intent')
}

function settlementOf(
  { serviceAccount }: World,
  model: Model,
  attemptId: number,
  to: (typeof outcomes)[number] | (typeof judgements)[number],
): RecordedOutcome {
  const base = { attemptId, at: start }
  const reply = { status: null, code: null, text: null }
  const job = () => observation(`${serviceAccount.identity}/${model.jobs++}`)
  if (to === 'acked') return { ...base, to, observation: job() }
  if (to === 'adopted') return { ...base, to, jobs: [job()] }
  if (to === 'absent') return { ...base, to }
  if (to === 'undecided') return { ...base, to, reason: 'unclear' }
  if (to === 'ambiguous') return { ...base, to, countedAt: start, reason: '', reply }
  return { ...base, to, reason: '', reply }
}

/** By SQL, past every function of ours: a move that the table of states does not know, or an attempt that goes away. */
function cheat({ store, serviceAccount }: World, { states: known }: Model, { victim, wish }: Command): void {
  const ids = [...known.keys()]
  if (ids.length === 0) return
  const id = ids[victim % ids.length]
  const state = known.get(id) ?? 'intent'
  const moves: readonly AttemptState[] = ATTEMPT_MOVES[state]
  const now = isoTime(start)
  if (!moves.includes(wish)) {
    const update = store.db.prepare(
      'update attempt set state = ?, counted_at = ?, settled_at = ?, unsure_since = ? where id = ?',
    )
    const free = wish === 'released' || wish === 'intent'
    expect(() => update.run(wish, free ? null : now, wish === 'intent' ? null : now, now, id)).toThrow(/illegal move/)
  }
  expect(() => store.db.prepare('delete from attempt where identity = ?').run(serviceAccount.identity)).toThrow(/stay/)
  expect(() => store.db.prepare("update attempt set name = 'other' where id = ?").run(id)).toThrow(/keeps/)
}

function compare({ store, serviceAccount }: World, model: Model): void {
  const row = store.db
    .prepare<[string], { open: number; spent: number }>(
      `select count(*) filter (where state in ('intent', 'ambiguous')) as open,
         count(*) filter (where state <> 'released') as spent from attempt where identity = ?`,
    )
    .get(serviceAccount.identity)
  expect(row).toEqual({ open: model.open === null ? 0 : 1, spent: model.spent })
}
