/** Demo bots only: makes the body of a bot, and checks the finished text before it is sent (H47). */
import { CONFIG_FIELDS, type DemoBotPayload } from '../../contract/bot.ts'
import type { EndpointName } from '../../contract/endpoints.ts'
import { membersAt } from './lossless-json.ts'

const SENT_FIELDS = [
  'userEmail',
  'name',
  'strategyType',
  'exchange',
  'baseAsset',
  'quoteAsset',
  ...CONFIG_FIELDS,
] as const satisfies readonly (keyof DemoBotPayload)[]

/** The creation payload, field by field as documented, with `isDemo: true` last, so that no passed value replaces it. */
export function demoBody(payload: DemoBotPayload): string {
  return demoText(plainPayload(payload))
}

/** Only the documented fields of a payload, as input of a dialect. */
export function plainPayload(payload: DemoBotPayload): DemoBotPayload {
  const fields = Object.fromEntries(SENT_FIELDS.map((field) => [field, payload[field]]))
  return { ...fields, isDemo: true } as DemoBotPayload // every field of the type, one by one
}

/** A body that a dialect made, with `isDemo: true` set afterwards. */
export function demoText(fields: object): string {
  const body: Record<string, unknown> = Object.create(null)
  for (const [field, value] of Object.entries(fields)) if (field !== 'isDemo') body[field] = value
  body.isDemo = true
  return JSON.stringify(body)
}

/** A key, or any other string, of a JSON text: a key has a colon after it. */
const stringToken = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:\s*(true\s*[,}])?)?/g

/** True when a JSON text contains `isDemo` and every occurrence has the value true: in any letter case, with escapes, nested or repeated. */
export function everyMentionIsTrue(text: string): boolean {
  const mentions = [...text.matchAll(stringToken)].filter(([, key, colon]) => colon !== undefined && isDemoKey(key))
  return mentions.length > 0 && mentions.every(([, , , value]) => value !== undefined)
}

/** `key` is the text between its quotes. */
function isDemoKey(key: string): boolean {
  const plain = key.includes('\\') ? String(JSON.parse(`"${key}"`)) : key
  return plain.toLowerCase() === 'isdemo'
}

/** The parts of a request that are checked. */
interface Written {
  readonly endpoint: EndpointName
  /** The finished JSON text. */
  readonly body?: string
}

const CARRIES_A_BOT: ReadonlySet<EndpointName> = new Set(['validateBot', 'createBot', 'updateBot'])

/**
 * Why this request must not be sent, or undefined. The text itself must contain `"isDemo": true` once; the object from which it
 * was made is not used.
 */
export function findDemoProblem({ endpoint, body }: Written): string | undefined {
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
  const keys = members.map(({ key }) => key.toLowerCase()) // some programs ignore case when they read keys
  const demo = members.find(({ key }) => key === 'isDemo')
  return (
    new Set(keys).size === keys.length &&
    demo !== undefined &&
    body.slice(demo.value.start, demo.value.end) === 'true' &&
    everyMentionIsTrue(body)
  )
}
