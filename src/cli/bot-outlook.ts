/**
 * Warns about a bot that will never trade because the candles of its market have ended. The embedded service starts such a bot
 * without a warning.
 */

import { marketName } from '../contract/market.ts'
import type { BotReading } from '../workbench/api/reading/readings.ts'
import type { Context } from './context.ts'
import { formatTime, say } from './output.ts'

/** Prints a warning to stderr when the candles of a started bot end before the market time of its start. */
export async function warnOfEndedCandles(
  context: Context,
  { market, startedAt }: Pick<BotReading, 'market' | 'startedAt'>,
  candlesFolder: string,
): Promise<void> {
  // The candles and the clock of a configured service are not known.
  if (context.settings().baseUrl !== undefined || market === null || startedAt === null) return
  const [{ listCandles }, { findRecipe }, { findStretch }] = await Promise.all([
    import('../candles/folder/folder.ts'),
    import('../candles/synthetic/continue.ts'),
    import('../candles/folder/stretches.ts'),
  ])
  const name = marketName(market)
  const stored = listCandles(candlesFolder).filter((each) => each.market === name)
  const last = findStretch(
    stored.flatMap(({ stretches }) => stretches),
    startedAt,
  )
  // A generated market continues after its stored candles.
  const goesOn = stored.some(({ synthetic, interval }) => synthetic && findRecipe(candlesFolder, name, interval))
  if (last === undefined || startedAt < last.to || goesOn) return
  // When no stretch contains the start, the bot gets the finest interval, which is the first in the list.
  const next = stored.at(0)?.stretches.find(({ from }) => from > startedAt)
  const goingOn = next === undefined ? '' : `, and go on at ${formatTime(next.from)}`
  say(
    context.system.terminal,
    `note: the candles of ${name} end at ${formatTime(last.to)}, before the market clock (${formatTime(startedAt)})${goingOn}: this bot ` +
      `will not trade${next === undefined ? '' : ' until then'}; one first started under \`dcalab serve --now ${new Date(last.from).toISOString().slice(0, 10)}\` does`,
  )
}
