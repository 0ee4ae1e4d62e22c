/** Demo bots only: how a bot's body is made, and the last check of the finished text before it leaves (H47). */
import { CONFIG_FIELDS, type DemoBotPayload } from '../contract/bot.ts'
import type { EndpointName } from '../contract/endpoints.ts'
import { membersAt } from './json-text.ts'
import type { Operation } from './operations.ts'

const SENT_FIELDS = [
  'userEmail',
  'name',
  'strategyType',
  'exchange',
  'baseAsset',
  'quoteAsset',
  ...CONFIG_FIELDS,
] as const satisfies readonly (keyof DemoBotPayload)[]

/** The creation payload, field by field as documented, with the constant last: nothing that was passed in can speak for it. */
export function demoBody(payload: DemoBotPayload): string {
  const body: Record<string, unknown> = Object.create(null)
  for (const field of SENT_FIELDS) body[field] = payload[field]
  body.isDemo = true
  return JSON.stringify(body)
}

const CARRIES_A_BOT: ReadonlySet<EndpointName> = new Set(['validateBot', 'createBot', 'updateBot'])

/** Why this request must not be sent, or undefined. The text must say `"isDemo": true` once; the object it was made from is not asked. */
export function findDemoProblem({ endpoint, body }: Operation): string | undefined {
  if (!CARRIES_A_BOT.has(endpoint)) return undefined
  if (body === undefined || !saysDemoOnce(body))
    return `refused to send ${endpoint}: its body is not that of a demo bot`
  return undefined
}

function saysDemoOnce(body: string): boolean {
  try {
    JSON.parse(body)
  } catch {
    return false
  }
  if (!body.startsWith('{')) return false
  const members = membersAt(body, 0)
  const keys = members.map(({ key }) => key.toLowerCase()) // some readers ignore case
  const demo = members.find(({ key }) => key === 'isDemo')
  return (
    new Set(keys).size === keys.length && demo !== undefined && body.slice(demo.value.start, demo.value.end) === 'true'
  )
}
