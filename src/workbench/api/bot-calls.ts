/** The calls for bots: list, read, validate, create and, with a proof that the bot is a demo, change and start; and for what they do. */
import { Failure } from '../../errors.ts'
import type { ActivityOperations, BotControls, BotOperations } from './calls.ts'
import { demoBody, demoText, plainPayload } from './demo-only.ts'
import { queryTime, readPage, readQuery, type ServiceLine } from './line.ts'
import type { Dialect } from './reading/dialect.ts'
import { readBotBody, readExecution, readOrder, readPnlBody, readValidationBody } from './reading/read-account.ts'
import type { BotReading, BotReply } from './reading/readings.ts'
import { fieldsOf } from './reading/single-values.ts'
import { saysItFailed } from './reading/spoken-refusal.ts'
import { ProvenDemoBot } from './wire/operations.ts'
import type { Understand } from './wire/to-outcome.ts'

export function makeBotCalls(line: ServiceLine): Omit<BotOperations, 'identify'> & BotControls & ActivityOperations {
  const { dialect, service, read, write } = line
  const understandBot: Understand<BotReading> = (body, reply) =>
    readBotBody(dialect.bot(body), reply.raw.text, dialect.botState)
  /** A 2xx status is the answer, unless the body says that it failed; the bot in it is optional. */
  const understandBotReply: Understand<BotReply> = (body, reply) => {
    const bot = body === undefined ? null : understandBot(body, reply)
    return bot === null && saysItFailed(body) ? null : { bot }
  }
  return {
    listBots: (userEmail, { next, ...call } = {}) => {
      const asked = next === undefined ? dialect.botListQuery({ userEmail }) : readQuery(next)
      const readItem = (item: unknown, text: string) => readBotBody(item, text, dialect.botState)
      const rules = { listOf: dialect.botList, translate: dialect.bot, readItem }
      return readPage(line, { endpoint: 'listBots', query: { ...asked, userEmail }, next }, rules, call)
    },
    readBot: (id, call) => read({ endpoint: 'readBot', parameter: id }, understandBot, call),
    validateBot: async (payload, call) => {
      const body = spelledBody('validateRequest', dialect.validateRequest(plainPayload(payload)))
      return write({ endpoint: 'validateBot', body }, (reply) => readValidationBody(dialect.validation(reply)), call)
    },
    createBot: (payload, call) => write({ endpoint: 'createBot', body: demoBody(payload) }, understandBot, call),
    proveDemo: (id, call) =>
      read(
        { endpoint: 'readBot', parameter: id },
        (body, reply) => {
          const bot = understandBot(body, reply)
          return bot && { bot, proof: ProvenDemoBot.readBack(bot, { id, reply, service }) ?? null }
        },
        call,
      ),
    startBot: (proof, call) => write({ endpoint: 'startBot', parameter: proof.id, proof }, understandBotReply, call),
    updateBot: async (proof, payload, call) => {
      const body = spelledBody('updateRequest', dialect.updateRequest(plainPayload(payload)))
      return write({ endpoint: 'updateBot', parameter: proof.id, proof, body }, understandBotReply, call)
    },
    stopBot: (id, call) =>
      write({ endpoint: 'stopBot', parameter: id, query: { closePosition: 'false' } }, understandBotReply, call),
    closeBot: (proof, call) =>
      write(
        { endpoint: 'stopBot', parameter: proof.id, proof, query: { closePosition: 'true' } },
        understandBotReply,
        call,
      ),
    listExecutions: (id, { limit, since, next, ...call } = {}) => {
      const query =
        next === undefined ? dialect.executionListQuery({ limit, since: queryTime(since) }) : readQuery(next)
      const rules = { listOf: dialect.executionList, translate: dialect.execution, readItem: readExecution }
      return readPage(line, { endpoint: 'listExecutions', parameter: id, query, next }, rules, call)
    },
    listOrders: (id, { limit, state, next, ...call } = {}) => {
      const query = next === undefined ? dialect.orderListQuery({ limit, state }) : readQuery(next)
      const rules = { listOf: dialect.orderList, translate: dialect.order, readItem: readOrder }
      return readPage(line, { endpoint: 'listOrders', parameter: id, query, next }, rules, call)
    },
    readPnl: (id, call) =>
      read(
        { endpoint: 'readPnl', parameter: id },
        (body, reply) => readPnlBody(dialect.pnl(body), reply.raw.text),
        call,
      ),
  }
}

/** @throws Failure settingInvalid when a dialect module does not return an object */
function spelledBody(name: keyof Dialect, spelled: unknown): string {
  const body = fieldsOf(spelled)
  if (body === null) throw new Failure('settingInvalid', `DCALAB_DIALECT: ${name} did not return an object`)
  return demoText(body)
}
