/** One question of the exercise: how it is asked, what is expected, and what is noted of the answer. */

import { REFUSALS } from '../../src/contract/bodies.ts'
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../src/contract/endpoints.ts'
import { BODY_SCHEMAS } from '../../src/service/http/body-schemas.ts'
import { ROUTES } from '../../src/service/http/routes.ts'
import type { createAsker, Pair, Reply } from './exercise-asker.ts'
import type { ExerciseKeys, ExerciseOptions, Finding } from './exercise-terms.ts'

/** Which assumption spells the success of an endpoint. */
const SPELLED_BY: Readonly<Record<EndpointName, Finding['basis']>> = {
  listBots: 'A-16',
  readBot: 'A-16',
  listExecutions: 'A-35',
  listOrders: 'A-36',
  readPnl: 'A-37',
  listSymbols: 'A-15',
  validateBot: 'A-17',
  createBot: 'A-16',
  updateBot: 'A-16',
  startBot: 'A-29',
  stopBot: 'A-31',
  readLimits: 'A-11',
  listJobs: 'A-14',
  readJob: 'A-13',
  createJob: 'A-13',
  deleteJob: 'A-09',
}

/** One exercise under way. */
export interface Exercise {
  readonly keys: ExerciseKeys
  readonly options: ExerciseOptions
  readonly send: ReturnType<typeof createAsker>
  readonly findings: Finding[]
}

export type Question = Pick<Finding, 'question' | 'basis' | 'expected'>

export function note(exercise: Exercise, endpoint: EndpointName, question: Question, found: string): void {
  exercise.findings.push({ endpoint, ...question, found, holds: found === question.expected })
}

export async function expect(
  exercise: Exercise,
  name: EndpointName,
  question: Question,
  changes: Partial<Ask>,
): Promise<Reply> {
  const reply = await ask(exercise, name, changes)
  note(exercise, name, question, outcomeOf(reply))
  return reply
}

/** A reply as our assumptions spell it: its status, and every field of its body. */
export async function expectSpelled(
  exercise: Exercise,
  name: EndpointName,
  what: string,
  changes: Partial<Ask> = {},
): Promise<Reply> {
  const { status, reply: schema } = ROUTES[name]
  const reply = await expect(
    exercise,
    name,
    { question: `${what}: status`, basis: 'A-09', expected: String(status) },
    changes,
  )
  if (schema === null || reply.status >= 300) return reply
  const { success, error } = BODY_SCHEMAS[schema].safeParse(reply.json)
  const question = { question: `${what}: body`, basis: SPELLED_BY[name], expected: 'as spelled' }
  note(exercise, name, question, success ? 'as spelled' : error.message)
  return reply
}

export async function ask(exercise: Exercise, name: EndpointName, changes: Partial<Ask> = {}): Promise<Reply> {
  const { keys, options, send } = exercise
  if (changes.paced !== false) await options.pace()
  const { method, path } = endpointOf(name)
  const parameter = changes.parameter ?? (path.includes('{exchange}') ? options.exchange : 'unknown')
  return send({
    method: changes.method ?? method,
    path: `${path.replace(/\{\w+\}/, encodeURIComponent(parameter))}${changes.query ?? ''}`,
    keys: changes.keys === undefined ? keys.all : changes.keys,
    headers: changes.headers ?? {},
    body: 'body' in changes ? changes.body : ROUTES[name].body === null ? undefined : bodyOf(name, options),
  })
}

export interface Ask {
  readonly keys: Pair | null
  readonly method: string
  readonly parameter: string
  readonly query: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly paced: boolean
}

export function endpointOf(name: EndpointName): Endpoint {
  return ENDPOINTS[name]
}

export function bodyOf(name: EndpointName, options: ExerciseOptions): Record<string, unknown> {
  const { exchange, baseAsset, quoteAsset, userEmail, from, to } = options
  const config = {
    strategyType: 'DCA_SPOT',
    ...{ exchange, baseAsset, quoteAsset },
    investment: 1000,
    leverage: 1,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 20,
    dcaMaxSafetyOrders: 3,
    dcaPriceScalePercent: 1,
    dcaVolumeScale: 1.5,
    dcaPriceStepMultiplier: 1.2,
    takeProfit: 1,
    stopLoss: 0,
  }
  return name === 'createJob'
    ? { ...config, name: 'exercise', from, to }
    : { ...config, userEmail, name: 'exercise', isDemo: true }
}

/** The status and, of a refusal, its code: where we expect it, or else any of the document's that stands in the body. */
function outcomeOf({ status, text, json }: Reply): string {
  if (status < 300) return String(status)
  const { error } = typeof json === 'object' && json !== null && 'error' in json ? json : { error: undefined }
  const code =
    typeof error === 'object' && error !== null && 'code' in error
      ? error.code
      : Object.keys(REFUSALS).find((name) => text.includes(name))
  return `${status} ${code ?? ''}`.trim()
}

export function fieldsOf({ json }: Reply): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : {} // any object can be read by key
}

export function idOf(reply: Reply): string {
  return String(fieldsOf(reply).id)
}
