/** Numbers that mislead alone, and what they are shown with. */
import type { MetricName } from './metrics.ts'

/**
 * The metric with those that it must not be shown without. They come first, so that what gives way from the right is the metric and not they.
 * A bot that never sells at a loss wins every deal it closes: its losses lie in the deal that is still open, and in how long deals last.
 */
export function withCompanions(name: MetricName): readonly MetricName[] {
  return name === 'winRatePercent' ? ['unrealizedProfit', 'dealDuration.max', name] : [name]
}

/** What every ranking shows beside its objective. */
export const COMPANIONS: readonly MetricName[] = ['netProfit', 'maxDrawdownPercent', 'closedDeals', 'unrealizedProfit']
