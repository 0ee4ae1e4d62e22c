/** The seven refusals and two limits of the API document, as data. */

export const REFUSALS = {
  BotPlanLimit: { status: 400, meaning: "Refusal tied to the limits of the user's plan on bot creation" },
  ApiKeyInvalid: { status: 401, meaning: 'The key is not valid' },
  AuthRequired: { status: 401, meaning: 'Authentication is missing' },
  ApiKeyAddress: { status: 403, meaning: 'Refusal tied to the address of the caller' },
  ApiKeyScope: { status: 403, meaning: 'The key lacks the scope that the endpoint needs' },
  ApiKeyRateLimit: { status: 429, meaning: 'More than 120 requests per minute with one key' },
  ApiKeyBacktestLimit: { status: 429, meaning: 'Backtest allowance of 100 per 24 hours is exhausted' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type RefusalCode = keyof typeof REFUSALS

/** Per key: 120 requests per minute. */
export const RATE_LIMIT = { count: 120, windowMs: 60_000 } as const

/** Backtest use: 100 per 24 hours. */
export const BACKTEST_ALLOWANCE = { count: 100, windowMs: 86_400_000 } as const
