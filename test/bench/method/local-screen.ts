/** The program's own screen of the grid, in this thread. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { PreparedCandles } from '../../../src/engine/jump/prepared.ts'
import { answerScreen } from '../../../src/workbench/screen/answer-screen.ts'
import { planChunks } from '../../../src/workbench/screen/chunks.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-markets.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { plainStudy } from '../../support/plain-study.ts'
import type { Terms } from './hidden-settings.ts'
import { BASE, GRID_AXES } from './space.ts'

export interface LocalScreen {
  readonly prepared: PreparedCandles
  readonly terms: Terms
  /** Configurations wanted. */
  readonly top: number
}

/** The best of the grid by net profit, best first, no two of one behaviour; fewer than wanted where there are not as many. */
export async function screenLocally({ prepared, terms, top }: LocalScreen): Promise<readonly DcaSpotConfig[]> {
  const study: Study = plainStudy({
    ...terms,
    base: BASE,
    axes: GRID_AXES,
  })
  const portions = planChunks(study, prepared.count)
  const markets = study.markets.map((market) => ({ market, prepared, symbol: NO_SYMBOL_RULES }))
  const setting = { study, chunks: portions, markets }
  const answer = answerScreen(setting)
  const crew = {
    size: 1,
    ask: async (request: Parameters<typeof answer>[0]) => answer(request),
    close: async () => {},
  }
  const screening = await screenGrid({ workerGroup: crew, setting, top })
  return screening.top.map(({ config }) => config)
}
