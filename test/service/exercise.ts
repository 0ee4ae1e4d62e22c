/**
 * Asks a running service every question of the API document over real HTTP: every endpoint, every refusal, and whether bodies are as
 * our assumptions spell them. Runs against our own service in CI, and by hand against any other (`npm run exercise -- <url>`), there
 * with reading requests alone unless told otherwise.
 */
import { SERVICE_HEADER } from '../../src/contract/bodies.ts'
import { ENDPOINTS, type Endpoint, type EndpointName, SCOPES, type Scope } from '../../src/contract/endpoints.ts'
import { BACKTEST_ALLOWANCE, RATE_LIMIT, REFUSALS } from '../../src/contract/refusals.ts'
import { BODY_SCHEMAS } from '../../src/service/http/body-schemas.ts'
import { ROUTES } from '../../src/service/http/routes.ts'
import { createAsker, type Pair, type Reply } from './exercise-asker.ts'

export interface ExerciseKeys {
  /** All three scopes. */
  readonly all: Pair
  /** What else there is; a question that needs an absent pair is not asked. */
  readonly only?: Readonly<Record<Scope, Pair>>
  readonly revoked?: Pair
  /** Bound to other addresses than ours. */
  readonly elsewhere?: Pair
  /** Of an account of its own; its rate and its allowance are used up. */
  readonly spendable?: Pair
}

export interface ExerciseOptions {
  /** Default true: nothing but GET is sent. */
  readonly readOnly?: boolean
  /** Awaited before every request that the rate counts. */
  readonly pace: () => Promise<void>
  readonly userEmail: string
  /** A market of the service and a period of its candles. */
  readonly exchange: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly from: string
  readonly to: string
}

export interface Finding {
  readonly endpoint: EndpointName
  readonly question: string
  /** Whose answer it is: the document's, or the one of ours with this number. */
  readonly basis: 'document' | `A-${number}`
  readonly expected: string
  readonly found: string
  readonly holds: boolean
}

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

const names = Object.keys(ENDPOINTS) as EndpointName[] // keys of a const literal

/** One exercise under way. */
interface Exercise {
  readonly keys: ExerciseKeys
  readonly options: ExerciseOptions
  readonly send: ReturnType<typeof createAsker>
  readonly findings: Finding[]
}

export async function exerciseService(url: string, keys: ExerciseKeys, options: ExerciseOptions): Promise<Finding[]> {
  const { readOnly = true } = options
  const exercise: Exercise = { keys, options, send: createAsker(url), findings: [] }
  for (const name of names) {
    if (!readOnly || endpointOf(name).method === 'GET') await askForRefusals(exercise, name)
  }
  await askForReading(exercise)
  if (!readOnly) {
    await liveABot(exercise)
    await liveAJob(exercise)
    if (keys.spendable !== undefined) await spend(exercise, keys.spendable)
  }
  return exercise.findings
}

async function askForRefusals(exercise: Exercise, name: EndpointName): Promise<void> {
  const { all, only, revoked, elsewhere } = exercise.keys
  const { scope, path, method } = endpointOf(name)
  const askAs = (pair: Pair | null, question: string, expected: string, basis: Finding['basis'] = 'document') =>
    expect(exercise, name, { question, basis, expected }, { keys: pair })
  await askAs(null, 'without keys', '401 AuthRequired')
  await askAs({ ...all, secretKey: '' }, 'with X-API-Key alone', '401 AuthRequired', 'A-19')
  await askAs({ ...all, apiKey: '' }, 'with X-Secret-Key alone', '401 AuthRequired', 'A-19')
  await askAs({ ...all, apiKey: 'unknown' }, 'with an unknown key', '401 ApiKeyInvalid')
  await askAs({ ...all, secretKey: 'unknown' }, 'with the secret of another key', '401 ApiKeyInvalid')
  if (revoked !== undefined) await askAs(revoked, 'with a revoked key', '401 ApiKeyInvalid')
  if (elsewhere !== undefined) await askAs(elsewhere, 'from a wrong address', '403 ApiKeyAddress')
  for (const other of SCOPES) {
    const pair = other === scope ? undefined : only?.[other]
    if (pair !== undefined) await askAs(pair, `with the scope ${other} alone`, '403 ApiKeyScope')
  }
  const ask = (question: string, basis: Finding['basis'], expected: string, changes: Partial<Ask> = {}) =>
    expect(exercise, name, { question, basis, expected }, changes)
  await ask('with a query parameter nobody knows', 'A-27', '400 InvalidPayload', { query: '?strange=1' })
  if (path.includes('{id}')) await ask('with an unknown id', 'A-18', '404 NotFound')
  if (path.includes('{exchange}')) {
    await ask('with an unknown exchange', 'A-05', '404 NotFound', { parameter: 'nowhere' })
  }
  if (method === 'GET') return
  await ask('with a method of no endpoint', 'A-18', '405 MethodNotAllowed', { method: 'PATCH' })
  if (ROUTES[name].body !== null) await askWithWrongBodies(exercise, name)
}

async function askWithWrongBodies(exercise: Exercise, name: EndpointName): Promise<void> {
  const parameter = name === 'updateBot' ? idOf(await ask(exercise, 'createBot')) : 'unknown'
  const send = (question: string, basis: Finding['basis'], expected: string, changes: Partial<Ask>) =>
    expect(exercise, name, { question, basis, expected }, { parameter, ...changes })
  const asText = { 'Content-Type': 'text/plain' }
  await send('as text/plain', 'A-18', '415 UnsupportedMediaType', { headers: asText })
  await send('with 100 kB', 'A-18', '413 PayloadTooLarge', { body: 'x'.repeat(100_000) })
  await send('with no JSON', 'A-18', '400 InvalidPayload', { body: '{' })
  await send('with a key twice', 'A-27', '400 InvalidPayload', { body: '{"isDemo":true,"isDemo":false}' })
  const wrong = { ...bodyOf(name, exercise.options), takeProfit: -1, colour: 'red' }
  if (name !== 'validateBot') {
    await send('with an invalid payload', 'A-18', '400 InvalidPayload', { body: wrong })
    return
  }
  const { valid } = fieldsOf(await ask(exercise, name, { body: wrong }))
  note(
    exercise,
    name,
    { question: 'whether a wrong payload is valid', basis: 'A-17', expected: 'false' },
    String(valid),
  )
}

async function askForReading(exercise: Exercise): Promise<void> {
  const { userEmail, quoteAsset } = exercise.options
  await expectSpelled(exercise, 'readLimits', 'the limits')
  await expectSpelled(exercise, 'listBots', 'the bots of the user', {
    query: `?userEmail=${encodeURIComponent(userEmail)}`,
  })
  await expectSpelled(exercise, 'listJobs', 'the jobs')
  await expectSpelled(exercise, 'listSymbols', 'spot symbols', { query: `?type=spot&quote=${quoteAsset}` })
  const futures = { question: 'symbols that are not spot', basis: 'A-22', expected: '400 InvalidPayload' } as const
  await expect(exercise, 'listSymbols', futures, { query: '?type=futures' })
}

async function liveABot(exercise: Exercise): Promise<void> {
  const { options } = exercise
  await expectSpelled(exercise, 'validateBot', 'a payload that is right')
  const created = await expectSpelled(exercise, 'createBot', 'a demo bot')
  const parameter = idOf(created)
  const read = await expectSpelled(exercise, 'readBot', 'the bot', { parameter })
  if (fieldsOf(read).isDemo !== true) return // never start what is not a demo
  const renamed = { ...bodyOf('updateBot', options), name: 'renamed' }
  await expectSpelled(exercise, 'updateBot', 'the bot renamed', { parameter, body: renamed })
  await expectSpelled(exercise, 'startBot', 'the bot', { parameter })
  for (const name of ['listExecutions', 'listOrders', 'readPnl'] as const) {
    await expectSpelled(exercise, name, 'of the running bot', { parameter })
  }
  for (const query of ['?closePosition=false', '', '?closePosition=true']) {
    await expectSpelled(exercise, 'stopBot', `the bot with ${query || 'nothing said'}`, { parameter, query })
  }
  const perhaps = { question: 'with closePosition=perhaps', basis: 'A-31', expected: '400 InvalidPayload' } as const
  await expect(exercise, 'stopBot', perhaps, { parameter, query: '?closePosition=perhaps' })
  // Anywhere but at our own service this would be a bot with real funds.
  if (!created.headers.get(SERVICE_HEADER)?.startsWith('embedded:')) return
  const real = { ...bodyOf('createBot', options), isDemo: false }
  await expect(
    exercise,
    'createBot',
    { question: 'a real bot', basis: 'A-19', expected: '400 BotPlanLimit' },
    { body: real },
  )
}

async function liveAJob(exercise: Exercise): Promise<void> {
  const parameter = idOf(await expectSpelled(exercise, 'createJob', 'a job'))
  await expectSpelled(exercise, 'readJob', 'the job', { parameter })
  await expectSpelled(exercise, 'listJobs', 'with a job in it')
  await expectSpelled(exercise, 'deleteJob', 'the job', { parameter })
  const deleted = { question: 'once it is deleted', basis: 'A-08', expected: '404 NotFound' } as const
  await expect(exercise, 'readJob', deleted, { parameter })
}

/** Uses up a day and a minute; refused requests count in neither. */
async function spend(exercise: Exercise, pair: Pair): Promise<void> {
  const remaining = Number(fieldsOf(await ask(exercise, 'readLimits', { keys: pair })).remaining)
  for (let i = 0; i < remaining; i += 1) await ask(exercise, 'createJob', { keys: pair })
  const beyond = { question: 'beyond the allowance', basis: 'document', expected: '429 ApiKeyBacktestLimit' } as const
  const refused = await expect(exercise, 'createJob', beyond, { keys: pair })
  const wait = Number(refused.headers.get('Retry-After'))
  const when = { question: 'says when to come back', basis: 'A-24', expected: 'true' } as const
  note(exercise, 'createJob', when, String(wait >= 1 && wait <= BACKTEST_ALLOWANCE.windowMs / 1000))
  const left = fieldsOf(await ask(exercise, 'readLimits', { keys: pair })).remaining
  note(exercise, 'readLimits', { question: 'what remains then', basis: 'A-11', expected: '0' }, String(left))

  const unpaced = { keys: pair, paced: false }
  let accepted = 0
  while (accepted <= RATE_LIMIT.count && (await ask(exercise, 'readLimits', unpaced)).status === 200) accepted += 1
  const most = {
    question: 'never lets the 121st request of a minute through',
    basis: 'document',
    expected: 'true',
  } as const
  note(exercise, 'readLimits', most, String(accepted <= RATE_LIMIT.count))
  for (const name of names) {
    const question = { question: 'beyond the rate', basis: 'document', expected: '429 ApiKeyRateLimit' } as const
    await expect(exercise, name, question, unpaced)
  }
}

type Question = Pick<Finding, 'question' | 'basis' | 'expected'>

function note(exercise: Exercise, endpoint: EndpointName, question: Question, found: string): void {
  exercise.findings.push({ endpoint, ...question, found, holds: found === question.expected })
}

async function expect(
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
async function expectSpelled(
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

async function ask(exercise: Exercise, name: EndpointName, changes: Partial<Ask> = {}): Promise<Reply> {
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

interface Ask {
  readonly keys: Pair | null
  readonly method: string
  readonly parameter: string
  readonly query: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly paced: boolean
}

function endpointOf(name: EndpointName): Endpoint {
  return ENDPOINTS[name]
}

function bodyOf(name: EndpointName, options: ExerciseOptions): Record<string, unknown> {
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

function fieldsOf({ json }: Reply): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : {} // any object can be read by key
}

function idOf(reply: Reply): string {
  return String(fieldsOf(reply).id)
}
