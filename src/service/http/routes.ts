/** Every endpoint of the document: its handler, its input and its answer. The router, openapi.json and the page are made from this table. */
import type { EndpointName } from '../../contract/endpoints.ts'
import {
  answerCreateJob,
  answerDeleteJob,
  answerJob,
  answerJobs,
  answerLimits,
  answerSymbols,
} from './backtest-endpoints.ts'
import type { BODY_SCHEMAS } from './body-schemas.ts'
import {
  answerBot,
  answerBots,
  answerCreateBot,
  answerExecutions,
  answerOrders,
  answerPnl,
  answerStartBot,
  answerStopBot,
  answerUpdateBot,
  answerValidateBot,
} from './bot-endpoints.ts'
import type { Answer, Call, Service } from './service.ts'

export interface Route {
  answer(service: Service, call: Call): Answer | Promise<Answer>
  readonly summary: string
  /** Null = no body is read. */
  readonly body: keyof typeof BODY_SCHEMAS | null
  /** The status of success. */
  readonly status: Answer['status']
  readonly reply: keyof typeof BODY_SCHEMAS | null
}

export const ROUTES: Readonly<Record<EndpointName, Route>> = {
  listBots: route(answerBots, 'The bots of the account, newest first.', { reply: 'BotList' }),
  readBot: route(answerBot, 'One bot.', { reply: 'Bot' }),
  listExecutions: route(answerExecutions, 'What a bot bought and sold, newest first.', {
    reply: 'ExecutionList',
  }),
  listOrders: route(answerOrders, 'The orders of a bot, newest first.', {
    reply: 'OrderList',
  }),
  readPnl: route(answerPnl, 'Profit and loss of a bot over its whole life.', { reply: 'Pnl' }),
  listSymbols: route(answerSymbols, 'The symbols of an exchange.', { reply: 'SymbolList' }),
  validateBot: route(answerValidateBot, 'Whether a bot could be created, and why not.', {
    body: 'BotPayload',
    reply: 'Validation',
  }),
  createBot: route(answerCreateBot, 'A new demo bot.', { body: 'BotPayload', status: 201, reply: 'Bot' }),
  updateBot: route(answerUpdateBot, 'The whole payload of a bot again, changed.', {
    body: 'BotPayload',
    reply: 'Bot',
  }),
  startBot: route(answerStartBot, 'Lets a bot trade.', { reply: 'Bot' }),
  stopBot: route(answerStopBot, 'Cancels the orders of a bot; sells or keeps its position.', {
    reply: 'Bot',
  }),
  readLimits: route(answerLimits, 'The backtest allowance.', { reply: 'Limits' }),
  listJobs: route(answerJobs, 'The backtest jobs of the account with their results, newest first.', {
    reply: 'JobList',
  }),
  readJob: route(answerJob, 'One backtest job with its result.', { reply: 'Job' }),
  createJob: route(answerCreateJob, 'A new backtest job.', {
    body: 'JobRequest',
    status: 201,
    reply: 'Job',
  }),
  deleteJob: route(answerDeleteJob, 'Deletes a backtest job; a running one stops.', { status: 204 }),
}

function route(
  answer: Route['answer'],
  summary: string,
  { body = null, status = 200, reply = null }: Partial<Omit<Route, 'answer' | 'summary'>>,
): Route {
  return { answer, summary, body, status, reply }
}
