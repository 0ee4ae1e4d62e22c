/** A study whose every trial the engine has run on real candles, as a service would have answered it; for what the page computes again. */

import { readFileSync } from 'node:fs'
import { findInterval } from '../../../src/contract/market.ts'
import { backtest } from '../../../src/engine/backtest.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { FIXTURE_HASH, fixtureTrial } from '../../support/fixture-trials.ts'
import { sectionOf } from './sections.ts'

/** The study of the report's design page over its first days; `candlesFile` holds its minutes. */
export function ethStudy(candlesFile: string, days: number): { readonly input: StudyInput; readonly candles: Candles } {
  const source = readFileSync(new URL('../../../studies/eth-2025.yaml', import.meta.url), 'utf8')
  const whole = parseStudy(source, { file: 'eth-2025.yaml' })
  const { from } = whole.period
  const study = { ...whole, period: { from, to: from + days * 86_400_000 } }
  const candles = sliceCandles(readCsvCandles(candlesFile, 60_000), study.period.from, study.period.to)
  return { input: computedSection(study, candles), candles }
}

/** Every trial of a study of one market, run on these candles. */
export function computedSection(study: Study, candles: Candles): StudyInput {
  const { conventions, costs } = study
  const trials = planTrials(study).trials.map(({ fingerprint, config }, index) => {
    const { metrics, deals, openDeal } = backtest({ candles, config, conventions, costs, symbol: NO_SYMBOL_RULES })
    const iso = (ms: number) => new Date(ms).toISOString()
    return {
      ...fixtureTrial(study, config, index),
      fingerprint,
      metrics,
      deals: deals.map((deal) => ({ ...deal, openedAt: iso(deal.openedAt), closedAt: iso(deal.closedAt) })),
      openDeal: openDeal === null ? null : { ...openDeal, openedAt: iso(openDeal.openedAt) },
      conventions: { ...conventions },
      costs,
      symbol: { ...NO_SYMBOL_RULES },
    }
  })
  const interval = findInterval(candles.intervalMs) ?? '1m'
  const found = { kind: 'found', candles, interval, hash: FIXTURE_HASH, missing: 0 } as const
  return sectionOf(study, { trials, candles: found })
}
