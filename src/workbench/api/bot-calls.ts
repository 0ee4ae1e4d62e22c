/** The calls for bots: list, read, validate, create and, with a proof that the bot is a demo, change and start. */
import { Failure } from '../../errors.ts'
import type { BotControls, BotOperations } from './calls.ts'
import { demoBody, demoText, plainPayload } from './demo-only.ts'
import { pageOf, readQuery, type ServiceLine, withSignal } from './line.ts'
import type { Dialect } from './reading/dialect.ts'
import { readBotBody, readValidationBody } from './reading/read-account.ts'
import { isEmptyFailure, readItems } from './reading/read-list.ts'
import type { BotReading, BotReply } from './reading/readings.ts'
import { fieldsOf } from './reading/single-values.ts'
import { saysItFailed } from './reading/spoken-refusal.ts'
import { ProvenDemoBot } from './wire/proven-demo.ts'
import type { Understand } from './wire/to-outcome.ts'

export function makeBotCalls({
  dialect,
  service,
  read,
  write,
}: ServiceLine): Omit<BotOperations, 'identify'> & BotControls {
  const understandBot: Understand<BotReading> = (body, reply) =>
    readBotBody(dialect.bot(body), reply.raw.text, dialect.botState)
  /** A 2xx status is the answer, unless the body says that it failed; the bot in it is optional. */
  const understandBotReply: Understand<BotReply> = (body, reply) => {
    const bot = body === undefined ? null : understandBot(body, reply)
    return bot === null && saysItFailed(body) ? null : { bot }
  }
  return {
    listBots: (userEmail, { next, signal } = {}) => {
      const asked = next === undefined ? dialect.botListQuery({ userEmail }) : readQuery(next)
      const query = { ...asked, userEmail }
      return read(
        { endpoint: 'listBots', query, ...pageOf(next) },
        (body, reply) => {
          const list = readItems(
            reply,
            { ...dialect.botList(body, { query }), query, translate: dialect.bot },
            (item, text) => readBotBody(item, text, dialect.botState),
          )
          if (list === null || isEmptyFailure(list, body)) return null
          return { bots: list.readings, next: list.next, unreadable: list.unreadable }
        },
        withSignal(signal),
      )
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
  }
}

/** @throws Failure settingInvalid when a dialect module does not return an object */
function spelledBody(name: keyof Dialect, spelled: unknown): string {
  const body = fieldsOf(spelled)
  if (body === null) throw new Failure('settingInvalid', `DCALAB_DIALECT: ${name} did not return an object`)
  return demoText(body)
}
