/** A study's trials computed on recorded candles, for the figures that pages of the guide quote. */
import { readFileSync } from 'node:fs'
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { type Conventions, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import type { BacktestResult } from '../../src/engine/deal.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { rankByObjective } from '../../src/workbench/study/objective.ts'
import { parseStudy, planTrials } from '../../src/workbench/study/parse.ts'
import { readCsvCandles } from '../support/csv-candles.ts'

const DAY = 86_400_000

export interface Run extends BacktestResult {
  readonly fingerprint: string
  readonly config: DcaSpotConfig
}

/** Days are counted from the start of the study's period. */
export function createHistory(name: string, candlesFile: string) {
  const file = `studies/${name}.yaml`
  const study = parseStudy(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), { file })
  const recorded = readCsvCandles(candlesFile, 60_000)
  const { period, objective, costs } = study
  const days = (period.to - period.from) / DAY
  const { trials } = planTrials(study)
  const market = { conventions: study.conventions, costs, symbol: NO_SYMBOL_RULES }

  const between = (from: number, to: number): Candles =>
    sliceCandles(recorded, period.from + from * DAY, period.from + to * DAY)

  /** Every trial on these days, under the study's settings but for `conventions`, in the order of the grid. */
  function run(from: number, to: number, conventions: Partial<Conventions> = {}): Run[] {
    const candles = between(from, to)
    const prepared = prepareCandles(candles)
    const terms = { ...market, candles, conventions: { ...study.conventions, ...conventions } }
    return trials.map(({ fingerprint, config }) => ({
      fingerprint,
      config,
      ...runJump({ ...terms, config }, prepared),
    }))
  }

  /** Inside the study's bounds, best first. */
  const ranked = (runs: readonly Run[]): Run[] => rankByObjective(runs, objective).ranked

  /** A trial is not the same one on other days: it is found by its place in the grid. */
  const rankAt = (place: number, runs: readonly Run[]): number => 1 + ranked(runs).indexOf(runs[place])

  return { study, days, market, between, run, ranked, rankAt }
}
