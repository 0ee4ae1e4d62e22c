/**
 * Screen, then confirm: the local engine ranks every point, which is free, and units are spent on its best and on a few samples for comparison.
 *
 *     calibrate ─ test backtests, one at a time ─► screen ─► samples ─► ten best ─► agreement? ─► ten more ─► enough? ─► tens, to the last unit
 *
 * What is decided follows from the history and from what the screen said, which is kept: a search that was killed goes on as if it had not been,
 * and screens nothing twice.
 */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Conventions, Costs } from '../../engine/conventions.ts'
import {
  type Advice,
  AGREEMENT,
  type SearchMemory,
  type SearchMethod,
  type SearchState,
  type TestedProposal,
} from '../study/proposals.ts'
import { describeCalibration, describeScreen } from './describe-screen.ts'
import { type ConfigSpace, drawConfigs } from './draw-configs.ts'
import { readScreenState, type ScreenState, type ScreenTask } from './screen-state.ts'
import { type LocalConfig, readScreened, type Screened } from './screened.ts'

/** What the local engine computes under. */
export interface LocalTerms {
  readonly conventions: Conventions
  readonly costs: Costs
}

export type Calibration =
  | { readonly kind: 'test'; readonly config: DcaSpotConfig }
  | { readonly kind: 'found'; readonly terms: LocalTerms; readonly isPoorMatch: boolean }
  /** The service announces its terms, or an earlier calibration is stored. */
  | { readonly kind: 'known'; readonly terms: LocalTerms; readonly isPoorMatch: boolean }
  /** Not calibrated: the study's own. */
  | { readonly kind: 'own'; readonly terms: LocalTerms }

export interface LocalEngine {
  /**
   * The terms that the service computes under, or the next configuration that shows more of them.
   * @param tests answered so far, in their order
   * @param left so many more may be asked; at 0 it must conclude from these
   */
  calibrate(tests: readonly TestedProposal[], left: number): Promise<Calibration>
  /** Ranks every point: at most `wanted` of the best that trade differently, and the local engine's values of the samples in their order. */
  screen(request: {
    readonly terms: LocalTerms
    readonly samples: readonly DcaSpotConfig[]
    readonly wanted: number
  }): Promise<{ readonly best: readonly LocalConfig[]; readonly samples: readonly LocalConfig[] }>
}

const KEPT_AS = 'screened'

export function createScreenSearch(
  { task, space }: { readonly task: ScreenTask; readonly space: ConfigSpace },
  { localEngine, memory }: { readonly localEngine: LocalEngine; readonly memory: SearchMemory },
): SearchMethod {
  return { propose, describe }

  async function propose(history: readonly TestedProposal[]): Promise<Advice> {
    const kept = readScreened(memory.read(KEPT_AS))
    if (kept !== undefined) return goOn(readScreenState(history, kept, task))
    const tests = history.filter(({ role }) => role === 'test')
    const calibration = await calibrate(tests)
    if (calibration.kind === 'test') {
      const { config } = calibration
      const reason = `test ${tests.length + 1}`
      return { kind: 'propose', proposals: [{ config, role: 'test', reason, markets: task.markets.slice(0, 1) }] }
    }
    const screened = await screen(calibration)
    await memory.write(KEPT_AS, screened)
    return goOn(readScreenState(history, screened, task))
  }

  /** The result of the agreement test is kept beyond the search: `promote` and the report show it. */
  async function goOn(state: ScreenState): Promise<Advice> {
    if (state.agreement !== null) {
      const { passed, failed } = state.agreement
      const before = memory.read(AGREEMENT)
      const verdict = { passed, failed }
      if (JSON.stringify(before) !== JSON.stringify(verdict)) await memory.write(AGREEMENT, verdict)
    }
    return decide(state, task)
  }

  /** Test backtests leave the samples and one chosen configuration their place. */
  async function calibrate(tests: readonly TestedProposal[]): Promise<Calibration> {
    const left = Math.max(0, task.plan.configs - task.plan.samples - 1 - tests.length)
    const calibration = await localEngine.calibrate(tests, left)
    if (calibration.kind === 'test' && left === 0) throw new Error('a test backtest was asked for where none is left')
    return calibration
  }

  async function screen(calibration: Exclude<Calibration, { kind: 'test' }>): Promise<Screened> {
    const { configs, samples: count, seed } = task.plan
    const drawn = drawConfigs(space, { by: 'sobol', count, seed })
    const { best, samples } = await localEngine.screen({
      terms: calibration.terms,
      samples: drawn.configs.map(({ config }) => config),
      wanted: configs,
    })
    const isPoorMatch = calibration.kind === 'own' ? null : calibration.isPoorMatch
    return { terms: calibration.kind, isPoorMatch, best, samples, shortfall: drawn.shortfall }
  }

  function describe(history: readonly TestedProposal[]): SearchState {
    const screened = readScreened(memory.read(KEPT_AS))
    if (screened === undefined) return { agreement: null, lines: describeCalibration(history.length) }
    const state = readScreenState(history, screened, task)
    const lines = describeScreen({ state, screened, task, advice: decide(state, task) })
    return { agreement: state.agreement === null ? null : { ...state.agreement }, lines }
  }
}

/** What a state leads to: everything that stops a search is here. */
function decide({ next, agreement, isEnough }: ScreenState, { anyway }: Pick<ScreenTask, 'anyway'>): Advice {
  if (agreement !== null && !agreement.passed && !anyway) return { kind: 'end', stoppedBy: 'agreement' }
  if (next.length === 0) return { kind: 'end', stoppedBy: null }
  if (isEnough) return { kind: 'end', stoppedBy: 'enough' }
  return { kind: 'propose', proposals: next }
}
