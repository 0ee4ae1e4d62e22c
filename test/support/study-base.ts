/** What every trial of a small study has in common, as a study file says it; its grid varies `dcaPriceScalePercent`. */
export const STUDY_BASE = {
  investment: 1000,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 3,
  dcaPriceStepMultiplier: 1.2,
  dcaVolumeScale: 1.3,
  takeProfit: 1,
  stopLoss: 0,
} as const
