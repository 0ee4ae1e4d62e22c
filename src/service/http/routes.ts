/** Every endpoint of the document: what answers it, what it takes, what comes back. Requests, openapi.json and the page read this table. */
import { ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts'
import { answerExecutions, answerOrders, answerPnl } from './activity-endpoints.ts'
import { answerCreateJob, answerDeleteJob, answerJob, answerJobs, answerLimits } from './backtest-endpoints.ts'
import type { BODY_SCHEMAS } from './body-schemas.ts'
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
  readonly summary: string
  /** Query parameters, those the document names first. */
  readonly query: readonly ParameterName[]
  /** Null = no body is read. */
  readonly body: keyof typeof BODY_SCHEMAS | null
  /** Of success. */
  readonly status: Answer['status']
  readonly reply: keyof typeof BODY_SCHEMAS | null
}

const pages = ['limit', 'before'] as const

export const ROUTES: Readonly<Record<EndpointName, Route>> = {
  listBots: route('listBots', answerBots, 'The bots of the account, newest first.', { query: pages, reply: 'BotList' }),
  readBot: route('readBot', answerBot, 'One bot.', { reply: 'Bot' }),
  listExecutions: route('listExecutions', answerExecutions, 'What a bot bought and sold, newest first.', {
    query: [...pages, 'since'],
    reply: 'ExecutionList',
  }),
  listOrders: route('listOrders', answerOrders, 'The orders of a bot, newest first.', {
    query: [...pages, 'state'],
    reply: 'OrderList',
  }),
  readPnl: route('readPnl', answerPnl, 'Profit and loss of a bot over its whole life.', { reply: 'Pnl' }),
  listSymbols: route('listSymbols', answerSymbols, 'The symbols of an exchange.', { reply: 'SymbolList' }),
  validateBot: route('validateBot', answerValidateBot, 'Whether a bot could be created, and why not.', {
    body: 'BotPayload',
    reply: 'Validation',
  }),
  createBot: route('createBot', answerCreateBot, 'A new demo bot.', { body: 'BotPayload', status: 201, reply: 'Bot' }),
  updateBot: route('updateBot', answerUpdateBot, 'The whole payload of a bot again, changed.', {
    body: 'BotPayload',
    reply: 'Bot',
  }),
  startBot: route('startBot', answerStartBot, 'Lets a bot trade.', { reply: 'Bot' }),
  stopBot: route('stopBot', answerStopBot, 'Cancels the orders of a bot; sells or keeps its position.', {
    reply: 'Bot',
  }),
  readLimits: route('readLimits', answerLimits, 'The backtest allowance.', { reply: 'Limits' }),
  listJobs: route('listJobs', answerJobs, 'The backtest jobs of the account with their results, newest first.', {
    query: ['limit', 'since', 'before'],
    reply: 'JobList',
  }),
  readJob: route('readJob', answerJob, 'One backtest job with its result.', { reply: 'Job' }),
  createJob: route('createJob', answerCreateJob, 'A new backtest job.', {
    body: 'JobRequest',
    status: 201,
    reply: 'Job',
  }),
  deleteJob: route('deleteJob', answerDeleteJob, 'Deletes a backtest job; a running one stops.', { status: 204 }),
}

function route(
  name: EndpointName,
  answer: Route['answer'],
  summary: string,
  { query = [], body = null, status = 200, reply = null }: Partial<Omit<Route, 'answer' | 'summary'>>,
): Route {
  return { answer, summary, query: [...ENDPOINTS[name].query, ...query], body, status, reply }
}
