/** The 16 endpoints of the API document, its headers and its scopes, as data. A test compares this table with the document, in both directions. */

export const SCOPES = ['read', 'CanTrade', 'CanUseLab'] as const
export type Scope = (typeof SCOPES)[number]

export const KEY_HEADER = 'X-API-Key'
export const SECRET_HEADER = 'X-Secret-Key'

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As the document writes it, with `{id}` and `{exchange}` as the only parameters. */
  readonly path: string
  readonly scope: Scope
  /** Query parameters the document names. */
  readonly query: readonly string[]
}

export const ENDPOINTS = {
  listBots: { method: 'GET', path: '/api/bots', scope: 'read', query: ['userEmail'] },
  readBot: { method: 'GET', path: '/api/bots/{id}', scope: 'read', query: [] },
  listExecutions: { method: 'GET', path: '/api/bots/{id}/executions', scope: 'read', query: [] },
  listOrders: { method: 'GET', path: '/api/bots/{id}/orders', scope: 'read', query: [] },
  readPnl: { method: 'GET', path: '/api/bots/{id}/pnl', scope: 'read', query: [] },
  listSymbols: { method: 'GET', path: '/api/markets/{exchange}/symbols', scope: 'read', query: ['type', 'quote'] },
  validateBot: { method: 'POST', path: '/api/bots/validate', scope: 'CanTrade', query: [] },
  createBot: { method: 'POST', path: '/api/bots', scope: 'CanTrade', query: [] },
  updateBot: { method: 'PUT', path: '/api/bots/{id}', scope: 'CanTrade', query: [] },
  startBot: { method: 'POST', path: '/api/bots/{id}/start', scope: 'CanTrade', query: [] },
  stopBot: { method: 'POST', path: '/api/bots/{id}/stop', scope: 'CanTrade', query: ['closePosition'] },
  readLimits: { method: 'GET', path: '/api/backtest/limits', scope: 'read', query: [] },
  listJobs: { method: 'GET', path: '/api/backtest/jobs', scope: 'read', query: [] },
  readJob: { method: 'GET', path: '/api/backtest/jobs/{id}', scope: 'read', query: [] },
  createJob: { method: 'POST', path: '/api/backtest/jobs', scope: 'CanUseLab', query: [] },
  deleteJob: { method: 'DELETE', path: '/api/backtest/jobs/{id}', scope: 'CanUseLab', query: [] },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof ENDPOINTS
