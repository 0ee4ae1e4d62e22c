/** What every field of a configuration means: for editors, for analysts, for help. */
import type { ConfigField } from '../../contract/bot.ts'

export const FIELD_DESCRIPTIONS: Readonly<Record<ConfigField, string>> = {
  investment: 'The bot’s capital in quote currency: the cash it starts with and the denominator of ROI',
  leverage: 'Always 1: the strategy is spot',
  dcaTotalBudget: 'Hard cap on the quote spent in one deal, fees included',
  dcaInitialOrderSize: 'Quote size of the base order',
  dcaMaxSafetyOrders: 'How many safety orders rest below the base order (0 to 100)',
  dcaPriceScalePercent: 'Step from the base order to the first safety order, in percent',
  dcaVolumeScale: 'Each safety order is this many times the size of the one before',
  dcaPriceStepMultiplier: 'Each further step is this many times the step before',
  takeProfit: 'Percent above the average price at which the whole position is sold',
  stopLoss: 'Percent below the base order at which the whole position is sold; 0 = none',
}
