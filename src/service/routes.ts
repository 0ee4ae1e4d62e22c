/** Every endpoint of the document and what answers it. */
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import { answerExecutions, answerOrders, answerPnl } from './activity-endpoints.ts'
import { answerCreateJob, answerDeleteJob, answerJob, answerJobs, answerLimits } from './backtest-endpoints.ts'
import {
  answerBot,
  answerBots,
  answerCreateBot,
  answerStartBot,
  answerStopBot,
  answerUpdateBot,
  answerValidateBot,
} from './bot-endpoints.ts'
import { answerSymbols } from './market-endpoints.ts'
import type { ParameterName } from './parameters.ts'
import type { Answer, Call, Service } from './service.ts'

export interface Route {
  answer(service: Service, call: Call): Answer | Promise<Answer>
  /** Query parameters, those the document names first. */
  readonly query: readonly ParameterName[]
  readonly takesBody: boolean
}

export const ROUTES: Readonly<Record<EndpointName, Route>> = {
  listBots: route('listBots', answerBots, { query: ['limit', 'before'] }),
  readBot: route('readBot', answerBot),
  listExecutions: route('listExecutions', answerExecutions, { query: ['limit', 'before', 'since'] }),
  listOrders: route('listOrders', answerOrders, { query: ['limit', 'before', 'state'] }),
  readPnl: route('readPnl', answerPnl),
  listSymbols: route('listSymbols', answerSymbols),
  validateBot: route('validateBot', answerValidateBot, { takesBody: true }),
  createBot: route('createBot', answerCreateBot, { takesBody: true }),
  updateBot: route('updateBot', answerUpdateBot, { takesBody: true }),
  startBot: route('startBot', answerStartBot),
  stopBot: route('stopBot', answerStopBot),
  readLimits: route('readLimits', answerLimits),
  listJobs: route('listJobs', answerJobs, { query: ['limit', 'since', 'before'] }),
  readJob: route('readJob', answerJob),
  createJob: route('createJob', answerCreateJob, { takesBody: true }),
  deleteJob: route('deleteJob', answerDeleteJob),
}

function route(
  name: EndpointName,
  answer: Route['answer'],
  { query = [], takesBody = false }: { readonly query?: readonly ParameterName[]; readonly takesBody?: boolean } = {},
): Route {
  return { answer, query: [...ENDPOINTS[name].query, ...query], takesBody }
}
