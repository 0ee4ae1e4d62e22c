/** On which market and period a new study asks: what was given, else what a person answers, else the longest stretch that is stored without a gap. */
import type { StoredCandles } from '../../../candles/folder/folder.ts'
import { INTERVALS } from '../../../contract/market.ts'
import type { StudyGround } from '../../../workbench/study/starter.ts'
import { askPerson } from '../../ask-person.ts'
import type { Context } from '../../context.ts'
import { say } from '../../output.ts'

export interface GivenGround {
  readonly market?: string
  readonly period?: string
  readonly json?: boolean
}

/** undefined = nothing is stored and no market was given. @throws Failure usage */
export async function chooseGround(
  context: Context,
  folder: string,
  given: GivenGround,
): Promise<StudyGround | undefined> {
  const [{ listCandles }, { suggest }] = await Promise.all([
    import('../../../candles/folder/folder.ts'),
    import('../../../errors.ts'),
  ])
  const stored = listCandles(folder)
  const names = [...new Set(stored.map(({ market }) => market))]
  if (names.length === 0 && given.market === undefined) return undefined
  const { terminal } = context.system
  const usualMarket = await findUsualMarket(folder, stored)
  // One stored market is its own answer.
  const asks = names.length > 1 && terminal.inIsTerminal && terminal.errIsTerminal && !given.json
  if (asks && given.market === undefined) say(terminal, `stored are ${names.join(', ')}`)
  const market = await choose(context, { asks, what: 'market', given: given.market, usual: usualMarket })
  const { readMarkets, readPeriod } = await import('../../../workbench/study/rerun.ts')
  const [found] = readMarkets([market])
  const ofMarket = stored.filter((one) => one.market === market)
  if (ofMarket.length === 0) {
    say(terminal, `no candles stored for ${market}${suggest(market, names)}; the service may have its own`)
  }
  const usual = ofMarket.length === 0 ? undefined : await findUsualPeriod(folder, ofMarket)
  if (usual === undefined && given.period === undefined) return { market: found }
  const period = await choose(context, { asks, what: 'period', given: given.period, usual: usual ?? '' })
  const { from, to } = readPeriod(period)
  return { market: found, period: { from: shortTime(from), to: shortTime(to) } }
}

interface Choice {
  readonly asks: boolean
  readonly what: 'market' | 'period'
  readonly given: string | undefined
  readonly usual: string
}

async function choose(context: Context, { asks, what, given, usual }: Choice): Promise<string> {
  if (given !== undefined) return given
  const { terminal } = context.system
  if (!asks) {
    const why = what === 'period' ? ', the longest stored stretch without a gap' : ''
    say(terminal, `${what}: ${usual}${why}; --${what} takes another`)
    return usual
  }
  return (await askPerson(context, `${what} [${usual}]: `)) || usual
}

const dayMs = 86_400_000

/** Coarser candles decide deals by guesses about what happened inside them (the warning `coarseCandles`). */
const COARSEST_MS = 15 * 60_000

/** Recorded before synthetic, then the longest stretch. */
async function findUsualMarket(folder: string, stored: readonly StoredCandles[]): Promise<string> {
  const { longestGapless } = await import('../../../candles/folder/gapless.ts')
  const measured = stored.map((one) => {
    const run = longestGapless(folder, one.market, one.interval)
    return { ...one, isFine: INTERVALS[one.interval] <= COARSEST_MS, length: run === undefined ? 0 : run.to - run.from }
  })
  const [best] = measured.sort(
    (a, b) => Number(a.synthetic) - Number(b.synthetic) || Number(b.isFine) - Number(a.isFine) || b.length - a.length,
  )
  return best?.market ?? ''
}

/** The longest stretch without a gap, `2025-05-20..2025-08-18`: whole days of UTC where there are two at least. */
async function findUsualPeriod(folder: string, ofMarket: readonly StoredCandles[]): Promise<string | undefined> {
  const { longestGapless } = await import('../../../candles/folder/gapless.ts')
  const fine = ofMarket.filter(({ interval }) => INTERVALS[interval] <= COARSEST_MS)
  const runs = (fine.length > 0 ? fine : ofMarket).flatMap(
    ({ market, interval }) => longestGapless(folder, market, interval) ?? [],
  )
  const [longest] = runs.sort((a, b) => b.to - b.from - (a.to - a.from))
  if (longest === undefined) return undefined
  const days = { from: Math.ceil(longest.from / dayMs) * dayMs, to: Math.floor(longest.to / dayMs) * dayMs }
  const { from, to } = days.to - days.from >= 2 * dayMs ? days : longest
  return `${shortTime(from)}..${shortTime(to)}`
}

/** A date where the time is midnight, as a study file is read best. */
function shortTime(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace('.000Z', 'Z')
}
