/**
 * A study has one ranking, whoever asks: the store, the view `answers`, the report. A second implementation, which is the rule word by word, gives
 * the same for hundreds of small studies on one to three markets.
 */
import type { Statement } from 'better-sqlite3'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { METRICS, metricValue } from '../../../src/contract/metrics.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import { readCompetition } from '../../../src/workbench/store/competition.ts'
import { recordObservations } from '../../../src/workbench/store/jobs.ts'
import { recordProposals } from '../../../src/workbench/store/kept-proposals.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import type { TrialRecord } from '../../../src/workbench/store/records.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { rankStored } from '../../../src/workbench/store/stored-ranking.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { trialsOfConfig } from '../../../src/workbench/study/grid.ts'
import { type Objective, REDUCERS, type Study } from '../../../src/workbench/study/study.ts'
import { idleMetrics } from '../../support/metrics.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { share } from '../../support/share.ts'
import { sectionOf } from '../report/sections.ts'
import { makeTrials } from '../run/setup.ts'
import { identity, observation, openTemporary, spender, submit } from './setup.ts'

const MARKETS = ['BTC', 'ETH', 'SOL'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
const [{ period }] = makeTrials(1)
const configs = makeTrials(7).map(({ config }) => config)
const service = { identity, simulated: false, origin: 'https://bots.example' }
let store: Store
let placed: Statement<[string], { trials: string }>
let studies = 0

/** Seven configurations on three markets: all done, but one trial each that failed, runs, cannot be read, and was never tried. */
beforeAll(async () => {
  store = openTemporary().store
  const trials = configs.flatMap((config) => trialsOfConfig({ markets: MARKETS, period }, config))
  const [failed, running, unreadable, untried] = [4, 12, 17, 20]
  await startStudyRun(store, {
    study: plainStudy({ name: 'all', markets: MARKETS }),
    trials,
    service,
    settingsOn: null,
  })
  for (const [n, { fingerprint }] of trials.entries()) {
    if (n !== untried) await submit(store, fingerprint, `job-${n}`)
  }
  const part = { deals: null, openDeal: null, candles: null, symbol: null, engineVersion: null, flags: {} }
  const observations = trials.flatMap((_, n) => {
    if (n === running || n === untried) return []
    if (n === failed) return [observation(`job-${n}`, { state: 'failed', failure: 'no candles', body: '{}' })]
    const result = n === unreadable ? null : { ...part, metrics: idleMetrics(), costs: null, conventions: null }
    return [observation(`job-${n}`, { state: 'done', result, body: `{"n":${n}}` })]
  })
  await recordObservations(store, { identity, observations })
  placed = store.db.prepare(PLACED)
})

interface Asked {
  readonly objective: Objective
  readonly markets: number
  /** Of the seven, in the order in which they are tried. */
  readonly configs: readonly number[]
  /** Of a screen, the roles of each; null = a grid. */
  readonly roles: readonly (typeof ROLES)[number][] | null
}

const ROLES = ['sample', 'chosen', 'both'] as const
const metric = fc.constantFrom('netProfit' as const, 'sharpe' as const, 'stopLosses' as const)
const bounds = fc.record({ min: fc.constantFrom(-1, 0, 0.25), max: fc.constantFrom(0, 0.5, 1) }, { requiredKeys: [] })
const asked: fc.Arbitrary<Asked> = fc
  .record({
    objective: fc.record(
      {
        direction: fc.constantFrom('maximize' as const, 'minimize' as const),
        metric,
        where: fc.array(fc.record({ metric, bounds }), { maxLength: 2 }),
        across: fc.constantFrom(...REDUCERS),
      },
      { requiredKeys: ['direction', 'metric', 'where'] },
    ),
    markets: fc.integer({ min: 1, max: 3 }),
    configs: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
    isScreen: fc.boolean(),
    roles: fc.array(fc.constantFrom(...ROLES), { minLength: 7, maxLength: 7 }),
  })
  .map(({ isScreen, roles, ...rest }) => ({ ...rest, roles: isScreen ? roles : null }))

/** A study of its own for every question, on the results that are there. */
async function save({ objective, markets, configs: numbers, roles }: Asked): Promise<Study> {
  const search = { method: 'screen', configs: 7, samples: 2, calibrate: 'off', seed: 1 } as const
  const study = plainStudy({
    name: `study-${++studies}`,
    markets: MARKETS.slice(0, markets),
    period,
    objective,
    ...(roles === null ? {} : { search }),
  })
  const chosen = numbers.map((n) => configs[n])
  const trials = roles === null ? chosen.flatMap((config) => trialsOfConfig(study, config)) : []
  await startStudyRun(store, { study, trials, service, settingsOn: null })
  if (roles === null) return study
  const propose = (n: number, role: 'sample' | 'chosen' | 'test', { markets } = study) => {
    return { config: chosen[n], role, reason: `${role} ${n}`, markets }
  }
  const proposals = chosen.flatMap((_, n) => {
    const role = roles[n]
    return (role === 'both' ? (['sample', 'chosen'] as const) : [role]).map((each) => propose(n, each))
  })
  const probe = propose(0, 'test', { ...study, markets: study.markets.slice(0, 1) })
  await recordProposals(store, { study, ...spender }, { proposals: [...proposals, probe], period })
  return study
}

/** The rule, word by word: a configuration beats another by what it is worth, and where they are equal by its name. */
function plainRanking({ objective, markets, configs: numbers, roles }: Asked, trials: readonly TrialRecord[]) {
  const isBetter = (a: number, b: number) => (objective.direction === 'maximize' ? a > b : a < b)
  const all = numbers.map((number, n) => {
    const own = trials.filter(({ config }) => config.takeProfit === configs[number].takeProfit)
    const done = own.filter(({ state }) => state === 'done')
    const numbersOf = (name: Objective['metric']) =>
      done.map(({ metrics }) => (metrics === null ? null : metricValue(metrics, name)))
    const values = numbersOf(objective.metric).filter((value) => value !== null)
    const [low, ...others] = values.toSorted((a, b) => (isBetter(b, a) ? -1 : 1))
    const reducers = {
      mean: () => values.reduce((sum, value) => sum + value, 0) / markets,
      median: () => (markets === 1 ? low : markets === 2 ? (low + others[0]) / 2 : others[0]),
      worst: () => low,
    }
    const value = values.length === markets ? reducers[objective.across ?? 'median']() : null
    const isInside = objective.where.every(({ metric: name, bounds: { min, max } }) =>
      numbersOf(name).every(
        (found) => found !== null && !(min !== undefined && found < min) && !(max !== undefined && found > max),
      ),
    )
    const name = markets === 1 ? own[0].fingerprint : configFingerprint(configs[number])
    const role = roles?.[n] ?? 'chosen'
    const isPartial = done.length < markets
    return {
      name,
      value,
      isInside,
      isPartial,
      trials: own.map(({ fingerprint }) => fingerprint),
      isSample: role === 'sample',
    }
  })
  const competing = all.filter(({ isSample }) => !isSample)
  const valued = competing.flatMap((one) => (one.value === null ? [] : [{ ...one, value: one.value }]))
  const inside = valued.filter(({ isInside }) => isInside)
  const beaten = (one: (typeof inside)[number]) =>
    inside.filter((other) => isBetter(other.value, one.value) || (other.value === one.value && other.name < one.name))
  const top = inside.map((one) => ({ rank: beaten(one).length + 1, ...one })).toSorted((a, b) => a.rank - b.rank)
  return {
    top: top.map(({ rank, value, trials: fingerprints }) => ({ rank, value, trials: fingerprints })),
    counts: {
      ranked: inside.length,
      outside: valued.length - inside.length,
      noValue: competing.length - valued.length,
      partial: competing.filter(({ isPartial }) => isPartial).length,
      compared: all.length - competing.length,
    },
  }
}

const PLACED = `select rank, objective_over_markets as value, json_group_array(fingerprint) as trials
  from (select a.* from answers a join trials t using (study, identity, fingerprint) where study = ? and rank is not null order by position)
  group by rank order by rank`

function rankedByView(study: string) {
  return placed.all(study).map(({ trials, ...row }) => ({ ...row, trials: JSON.parse(trials) }))
}

function rankedByStore({ name: study, objective }: Study) {
  const { top, varied, stated, markets, ...counts } = rankStored(store, { study, objective, top: 100 })
  const shown = top.map(({ value, trials }, index) => {
    return { rank: index + 1, value, trials: trials.map(({ fingerprint }) => fingerprint) }
  })
  return { top: shown, counts }
}

/** What the sections of its markets show, put together. */
function rankedByReport(study: Study) {
  const { chosen } = readCompetition(store, { study: study.name, fingerprint: study.fingerprint, identity })
  const trials = listTrials(store, { study: study.name })
  const facts = study.markets.map((market) => readFacts(sectionOf(study, { market, trials, chosen })))
  return facts[0].configs.ranked.map(({ value }, index) => {
    return { rank: index + 1, value, trials: facts.map(({ ranked }) => ranked[index].fingerprint) }
  })
}

/** Numbers for the results that are there; columns that no bound or objective reads stay. */
function setResults(rows: readonly (readonly (number | null)[])[]): void {
  const set = store.db.prepare(
    `update result set ${METRICS.netProfit.column} = ?, ${METRICS.sharpe.column} = ?, ${METRICS.stopLosses.column} = ?
     where job_id = ? and metric_flags_json = '{}'`,
  )
  store.db.transaction(() => {
    for (const [n, row] of rows.entries()) set.run(...row, n + 1)
  })()
}

const resultsOf = (number: fc.Arbitrary<number>) =>
  fc.array(fc.tuple(number, fc.option(number, { freq: 4 }), fc.constantFrom(0, 1, 2)), { minLength: 21, maxLength: 21 })

it('the store, the view and the report rank as the rule says, word by word', async () => {
  const seen: (readonly string[])[] = []
  // Few and short numbers: ties are common, and every sum is exact in whatever order.
  const rows = resultsOf(fc.constantFrom(0, 1, -1, 0.25, 0.5, -3))
  await fc.assert(
    fc.asyncProperty(asked, rows, async (question, numbers) => {
      setResults(numbers)
      const study = await save(question)
      const plain = plainRanking(question, listTrials(store, { study: study.name }))
      expect(rankedByView(study.name), 'before the ranking is kept').toEqual(plain.top)
      expect(rankedByStore(study)).toEqual(plain)
      expect(rankedByStore(study), 'as it was kept').toEqual(plain)
      expect(rankedByView(study.name), 'as it was kept').toEqual(plain.top)
      expect(rankedByReport(study)).toEqual(plain.top)
      const counted = Object.entries(plain.counts).filter(([, count]) => count > 0)
      const method = question.roles === null ? 'grid' : 'screen'
      seen.push([`${question.markets} markets`, method, ...counted.map(([name]) => name)])
    }),
    { numRuns: share({ usual: 80, long: 200 }) },
  )
  const kinds = '1 markets,2 markets,3 markets,grid,screen,ranked,outside,noValue,partial,compared'.split(',')
  for (const kind of kinds)
    expect(seen.filter((found) => found.includes(kind)).length, kind).toBeGreaterThan(share({ usual: 8, long: 20 }))
})

it('a mean that no number of digits holds is the same in the store and in the view', async () => {
  const rows = resultsOf(fc.constantFrom(0.1, 0.2, 0.3, 0.30000000000000004, 1e16, -1e16, 1e-300))
  await fc.assert(
    fc.asyncProperty(asked, rows, async (question, numbers) => {
      setResults(numbers)
      const study = await save({ ...question, objective: { ...question.objective, across: 'mean' } })
      const anew = rankedByView(study.name)
      expect(rankedByStore(study).top).toEqual(anew)
      expect(rankedByView(study.name), 'as it was kept').toEqual(anew)
    }),
    { numRuns: share({ usual: 25, long: 50 }) },
  )
})
