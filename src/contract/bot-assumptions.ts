/**
 * Assumptions about running bots: start, stop, update, and the lists and the profit and loss that follow. Part of `ASSUMPTIONS`,
 * which checks their type.
 */
export const BOT_ASSUMPTIONS = [
  {
    id: 'A-29',
    quote: 'States of a bot or of a backtest job, and the moves between them: not shown.',
    answer:
      'Start and stop may be repeated: starting a running bot and stopping a stopped one answer 200 with the bot as it is, a bot never started stays created. A bot ends by itself when not even its base order fits (stopReason outOfCash) or after a stop loss where the conventions say so (stopLoss); it may be started again.',
    reliedOnBy: ['service', 'promote'],
  },
  {
    id: 'A-30',
    quote: 'Behaviour of the trading strategies beyond the fields of the creation payload: not shown.',
    answer:
      'A started demo bot trades on the candles of its market in market time, candle by candle: its first deal opens at the first candle that opens at or after the start, and what it does on a candle shows once the candle is complete. Its state is computed from its orders and the candles up to now whenever it is read; interval (the finest that covers the start), conventions, costs and symbol rules are fixed at its first start. Market time is the wall clock unless the service is told otherwise; a market whose candles end stands still.',
    reliedOnBy: ['service', 'promote'],
  },
  {
    id: 'A-31',
    quote: 'closePosition (boolean; the form shown passes false)',
    answer:
      'true sells the position at the close of the last complete candle, less fee and slippage; false, also when the parameter is absent, cancels the orders and keeps the position as it is, valued at the market. A later start places the orders of a kept position again; a later stop with true sells it.',
    reliedOnBy: ['service', 'cli'],
  },
  {
    id: 'A-32',
    quote: 'Request bodies of validate, update and backtest job creation: not shown.',
    answer:
      'An update takes effect with the next deal: a deal that is open, or kept by a stopped bot, keeps its ladder, take profit and stop. userEmail and isDemo never change; exchange, assets and investment only before the first start. A change of these is an invalid payload.',
    reliedOnBy: ['service', 'cli'],
  },
  {
    id: 'A-33',
    quote: 'POST /api/bots/{id}/start on a real bot uses funds.',
    answer:
      'The embedded plan holds demo bots only, so a start there never uses funds. Start and stop take no body; one that is sent is not read.',
    reliedOnBy: ['service', 'cli'],
  },
  {
    id: 'A-34',
    quote:
      'Further query parameters (paging, filtering, time ranges) of the executions, orders, pnl and job list endpoints: not shown.',
    answer:
      'Lists of bots, executions and orders come newest first and take limit (1–1000, clamped, default 100) and before (a cursor); next is the query string of the following page or null. Executions take since (ISO time, executed at or after it), orders take state (open, filled, cancelled); pnl takes nothing. Job lists: A-14.',
    reliedOnBy: ['service', 'api', 'cli'],
  },
  {
    id: 'A-35',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer:
      'An execution is { id, orderId, deal, side, role, safetyOrder, price, quantity, quote, fee, profit, executedAt }: role is base, safety, takeProfit, stopLoss or close; profit stands on the sale that closes a deal; executedAt is the open of the candle on which it filled.',
    reliedOnBy: ['service', 'api', 'cli', 'promote'],
  },
  {
    id: 'A-36',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer:
      'An order is { id, deal, side, type, role, safetyOrder, state, price, quantity, placedAt, updatedAt }; type is market, limit or stop. Open ones are the rungs not yet reached, the take profit and the stop; ids stay the same from reading to reading.',
    reliedOnBy: ['service', 'api', 'cli'],
  },
  {
    id: 'A-37',
    quote:
      'Fields of the records for executions, orders, profit and loss, market symbols and backtest jobs: not shown.',
    answer:
      'Profit and loss of a bot speaks of its whole life in the measures of a backtest: investment, cash, equity, realizedProfit, unrealizedProfit, netProfit, roiPercent, maxDrawdownPercent, feesPaid, volume, orders, closedDeals, winRatePercent, stopLosses, openDeal, dailyEquity, with marketTime and the candles it rests on. A deal sold by a stop with closePosition=true is a closed deal.',
    reliedOnBy: ['service', 'api', 'cli', 'promote'],
  },
] as const
