/** A search played against a service and a twin that follow a script: which value each computes for a configuration on a market. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Market, marketName } from '../../../src/contract/market.ts'
import type { MetricName } from '../../../src/contract/metrics.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS } from '../../../src/engine/conventions.ts'
import type { Calibration, LocalEngine } from '../../../src/workbench/search/screen-search.ts'
import type { LocalConfig } from '../../../src/workbench/search/screened.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type {
  Advice,
  Proposal,
  SearchMemory,
  SearchMethod,
  TestedProposal,
} from '../../../src/workbench/study/proposals.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { metricsWith } from '../../support/metrics.ts'

export const MARKETS: readonly Market[] = ['BTC', 'ETH', 'SOL'].map((baseAsset) => ({
  exchange: 'binance',
  baseAsset,
  quoteAsset: 'USDT',
}))

export const TERMS = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS }

/** null = the trial fails. */
export type Answer = { readonly netProfit: number; readonly maxDrawdownPercent: number } | null
export type Answers = (config: DcaSpotConfig, market: Market) => Answer

/** What the service makes of a proposal. */
export function answered(proposal: Proposal, batch: number, service: Answers): TestedProposal {
  const results = proposal.markets.map((market) => {
    const answer = service(proposal.config, market)
    const read = (name: MetricName) =>
      name === 'netProfit'
        ? (answer?.netProfit ?? 0)
        : name === 'maxDrawdownPercent'
          ? (answer?.maxDrawdownPercent ?? 0)
          : 0
    return {
      market,
      trial: `${configFingerprint(proposal.config)} on ${marketName(market)}`,
      state: answer === null ? ('failed' as const) : ('done' as const),
      metrics: answer === null ? null : metricsWith(read),
      stated: null,
    }
  })
  return { ...proposal, batch, results }
}

/** Keeps JSON, as the store does. */
export function createMemory(rows = new Map<string, string>()): SearchMemory & { readonly rows: Map<string, string> } {
  return {
    rows,
    read: (name) => {
      const row = rows.get(name)
      return row === undefined ? undefined : JSON.parse(row)
    },
    write: async (name, value) => {
      rows.set(name, JSON.stringify(value))
    },
  }
}

interface Script {
  readonly markets: readonly Market[]
  readonly objective: Objective
  /** Best first. */
  readonly best: readonly DcaSpotConfig[]
  readonly localEngine: (config: DcaSpotConfig, market: Market) => NonNullable<Answer>
  /** Asked one after the other, as far as there are enough left; then the terms are found. */
  readonly tests?: readonly DcaSpotConfig[]
}

/** `screens` counts how often the whole space was computed. */
export function scriptedTwin({
  markets,
  objective,
  best,
  localEngine,
  tests,
}: Script): LocalEngine & { screens: number } {
  const valued = (config: DcaSpotConfig): LocalConfig => ({
    config,
    fingerprint: configFingerprint(config),
    values: markets.map((market) => {
      const { netProfit, maxDrawdownPercent } = localEngine(config, market)
      const value = objective.metric === 'maxDrawdownPercent' ? maxDrawdownPercent : netProfit
      const most = objective.where[0]?.bounds.max ?? Infinity
      return { market: marketName(market), netProfit, value, isInside: maxDrawdownPercent <= most }
    }),
  })
  const scripted = {
    screens: 0,
    async calibrate(told: readonly TestedProposal[], left: number): Promise<Calibration> {
      const next = tests?.[told.length]
      if (next !== undefined && left > 0) return { kind: 'test', config: next }
      return tests === undefined ? { kind: 'own', terms: TERMS } : { kind: 'found', terms: TERMS, isPoorMatch: false }
    },
    async screen({ samples, wanted }: Parameters<LocalEngine['screen']>[0]) {
      scripted.screens++
      return { best: best.slice(0, wanted).map(valued), samples: samples.map(valued) }
    },
  }
  return scripted
}

export interface Played {
  readonly history: readonly TestedProposal[]
  /** Of each batch: what was told before it, and what was advised then. */
  readonly steps: readonly { readonly before: readonly TestedProposal[]; readonly advice: Advice }[]
  readonly stoppedBy: 'enough' | 'agreement' | null
}

/** Until it ends by itself; a search that never does is a failure. */
export async function play(search: SearchMethod, service: Answers): Promise<Played> {
  const steps: { before: readonly TestedProposal[]; advice: Advice }[] = []
  let history: readonly TestedProposal[] = []
  for (let batch = 1; batch <= 100; batch++) {
    const advice = await search.propose(history)
    steps.push({ before: history, advice })
    if (advice.kind === 'end') return { history, steps, stoppedBy: advice.stoppedBy }
    history = [...history, ...advice.proposals.map((proposal) => answered(proposal, batch, service))]
  }
  throw new Error('the search proposed 100 times and did not end')
}
