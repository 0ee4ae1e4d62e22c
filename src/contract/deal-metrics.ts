/** The rows of `METRICS` that follow from the list of deals alone. */
import { count, meanCount, minutes, nullable, percent, yesNo } from './metric-row.ts'

export const DEAL_METRICS = {
  closedDeals: count('Closed deals', 'higher', 'closed_deals', 'deals closed by take profit or stop loss'),
  winRatePercent: nullable(
    percent('Win rate', 'higher', 'win_rate_percent', 'closed deals with profit > 0'),
    'no deal closed',
  ),
  stopLosses: count('Stop losses', 'lower', 'stop_losses', 'deals closed by the stop'),
  openDeal: yesNo('Open deal', null, 'open_deal', 'a deal is still open at the end of the data'),
  'dealDuration.average': nullable(
    minutes('Average deal', 'lower', 'deal_duration_average_minutes', 'mean duration of closed deals'),
    'no deal closed',
  ),
  'dealDuration.median': nullable(
    minutes('Median deal', 'lower', 'deal_duration_median_minutes', 'median duration of closed deals'),
    'no deal closed',
  ),
  'dealDuration.p95': nullable(
    minutes('95 % deal', 'lower', 'deal_duration_p95_minutes', '95th percentile, nearest rank'),
    'no deal closed',
  ),
  'dealDuration.max': nullable(
    minutes('Longest deal', 'lower', 'deal_duration_max_minutes', 'longest deal, the open one included'),
    'no deal opened',
  ),
  'safetyOrdersFilled.average': nullable(
    meanCount('Average safety orders', null, 'safety_orders_average', 'safety orders filled per deal'),
    'no deal opened',
  ),
  'safetyOrdersFilled.max': nullable(
    count('Most safety orders', null, 'safety_orders_max', 'most safety orders filled in one deal'),
    'no deal opened',
  ),
} as const
