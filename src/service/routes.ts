/** Every endpoint of the document and what answers it. */
import type { EndpointName } from '../contract/endpoints.ts'
import { answerCreateJob, answerDeleteJob, answerJob, answerJobs, answerLimits } from './backtest-endpoints.ts'
import { answerBot, answerBots, answerCreateBot, answerValidateBot } from './bot-endpoints.ts'
import { answerSymbols } from './market-endpoints.ts'
import { Refusal } from './refusal.ts'
import type { Answer, Call, Service } from './service.ts'

export interface Route {
  answer(service: Service, call: Call): Answer | Promise<Answer>
  /** Query parameters beside those the document names. */
  readonly query: readonly string[]
  readonly takesBody: boolean
}

export const ROUTES: Readonly<Record<EndpointName, Route>> = {
  listBots: read(answerBots),
  readBot: read(answerBot),
  listExecutions: later('executions'),
  listOrders: later('orders'),
  readPnl: later('profit and loss'),
  listSymbols: read(answerSymbols),
  validateBot: write(answerValidateBot),
  createBot: write(answerCreateBot),
  updateBot: later('updates of bots'),
  startBot: later('starting of bots'),
  stopBot: later('stopping of bots'),
  readLimits: read(answerLimits),
  listJobs: read(answerJobs, ['limit', 'since', 'before']),
  readJob: read(answerJob),
  createJob: write(answerCreateJob),
  deleteJob: read(answerDeleteJob),
}

function read(answer: Route['answer'], query: readonly string[] = []): Route {
  return { answer, query, takesBody: false }
}

function write(answer: Route['answer']): Route {
  return { answer, query: [], takesBody: true }
}

/** An endpoint of the document that this version does not offer. */
function later(what: string): Route {
  return read(() => {
    throw new Refusal('NotImplemented', `this version of the service does not offer ${what}`)
  })
}
