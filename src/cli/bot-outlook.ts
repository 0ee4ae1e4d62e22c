/** What the embedded service cannot say of a bot it has started: that its market is over, and it will never trade. */

import { marketName } from '../contract/market.ts'
import type { BotReading } from '../workbench/api/reading/readings.ts'
import type { Context } from './context.ts'
import { formatTime, say } from './output.ts'

/** Says so on stderr when the candles of a started bot end before the market clock it was started by. */
export async function warnOfEndedCandles(
  context: Context,
  { market, startedAt }: Pick<BotReading, 'market' | 'startedAt'>,
  candlesFolder: string,
): Promise<void> {
  // Of a configured service neither the candles nor the clock are known.
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
  // A generated market goes on past its stored candles.
  const goesOn = stored.some(({ synthetic, interval }) => synthetic && findRecipe(candlesFolder, name, interval))
  if (last === undefined || startedAt < last.to || goesOn) return
  // Where no stretch holds the start, the bot is given the finest interval; stored ones are listed finest first.
  const next = stored.at(0)?.stretches.find(({ from }) => from > startedAt)
  const goingOn = next === undefined ? '' : `, and go on at ${formatTime(next.from)}`
  say(
    context.system.terminal,
    `note: the candles of ${name} end at ${formatTime(last.to)}, before the market clock (${formatTime(startedAt)})${goingOn}: this bot ` +
      `will not trade${next === undefined ? '' : ' until then'}; one first started under \`dcalab serve --now ${new Date(last.from).toISOString().slice(0, 10)}\` does`,
  )
}
