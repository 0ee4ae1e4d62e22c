/** The program's own screen of the grid, in this thread. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { PreparedCandles } from '../../../src/engine/jump/prepared.ts'
import { answerScreen } from '../../../src/workbench/screen/answer-screen.ts'
import { createPointColumns } from '../../../src/workbench/screen/point-columns.ts'
import { planPortions } from '../../../src/workbench/screen/portions.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-grid.ts'
import type { SearchScore, Study } from '../../../src/workbench/study/study.ts'
import { plainStudy } from '../../support/plain-study.ts'
import type { Terms } from './hidden-settings.ts'
import { BASE, GRID_AXES, LOG_FIELDS } from './space.ts'

export interface LocalScreen {
  readonly prepared: PreparedCandles
  readonly terms: Terms
  readonly score: SearchScore
  /** Configurations wanted. */
  readonly top: number
}

/** The best of the grid by the score, best first, no two of one behaviour; fewer than wanted where there are not as many. */
export async function screenLocally({ prepared, terms, score, top }: LocalScreen): Promise<readonly DcaSpotConfig[]> {
  const study: Study = plainStudy({
    ...terms,
    base: BASE,
    axes: GRID_AXES,
    search: score === 'plateau' ? { method: 'grid', score, logFields: LOG_FIELDS } : { method: 'grid', score },
  })
  const portions = planPortions(study, prepared.count)
  const points = createPointColumns(study)
  const markets = study.markets.map((market) => ({ market, prepared, symbol: NO_SYMBOL_RULES }))
  const setting = { study, portions, markets, points }
  const answer = answerScreen(setting)
  const crew = {
    size: 1,
    started: () => 1,
    ask: async (request: Parameters<typeof answer>[0]) => answer(request),
    close: async () => {},
  }
  const screening = await screenGrid({ crew, setting, top })
  return screening.top.map(({ config }) => config)
}
