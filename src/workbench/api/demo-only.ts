/** Demo bots only: how a bot's body is made, and the last check of the finished text before it leaves (H47). */
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

/** The creation payload, field by field as documented, with the constant last: nothing that was passed in can speak for it. */
export function demoBody(payload: DemoBotPayload): string {
  return demoText(plainPayload(payload))
}

/** The documented fields of a payload and nothing else, for a dialect to spell. */
export function plainPayload(payload: DemoBotPayload): DemoBotPayload {
  const fields = Object.fromEntries(SENT_FIELDS.map((field) => [field, payload[field]]))
  return { ...fields, isDemo: true } as DemoBotPayload // every field of the type, one by one
}

/** A body as a dialect spelled it, with the constant put on top. */
export function demoText(fields: object): string {
  const body: Record<string, unknown> = Object.create(null)
  for (const [field, value] of Object.entries(fields)) if (field !== 'isDemo') body[field] = value
  body.isDemo = true
  return JSON.stringify(body)
}

/** A key, or any other string, of a JSON text: a key has a colon after it. */
const stringToken = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:\s*(true\s*[,}])?)?/g

/**
 * Whether a JSON text speaks of `isDemo` at all, and says the literal true wherever it does: in whatever letter case or escapes the
 * key is written, nested or repeated.
 */
export function everyMentionIsTrue(text: string): boolean {
  const mentions = [...text.matchAll(stringToken)].filter(([, key, colon]) => colon !== undefined && isDemoKey(key))
  return mentions.length > 0 && mentions.every(([, , , value]) => value !== undefined)
}

/** `key` as it stands between its quotes. */
function isDemoKey(key: string): boolean {
  const plain = key.includes('\\') ? String(JSON.parse(`"${key}"`)) : key
  return plain.toLowerCase() === 'isdemo'
}

/** The part of a request that says which bot it is about. */
interface Written {
  readonly endpoint: EndpointName
  /** The finished JSON text. */
  readonly body?: string
}

const CARRIES_A_BOT: ReadonlySet<EndpointName> = new Set(['validateBot', 'createBot', 'updateBot'])

/** Why this request must not be sent, or undefined. The text must say `"isDemo": true` once; the object it was made from is not asked. */
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
  const keys = members.map(({ key }) => key.toLowerCase()) // some readers ignore case
  const demo = members.find(({ key }) => key === 'isDemo')
  return (
    new Set(keys).size === keys.length &&
    demo !== undefined &&
    body.slice(demo.value.start, demo.value.end) === 'true' &&
    everyMentionIsTrue(body)
  )
}
