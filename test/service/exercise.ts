/**
 * Asks a running service every question of the API document over real HTTP: every endpoint, every refusal, and whether bodies are as
 * our assumptions spell them. Runs against our own service in CI, and by hand against any other (`npm run exercise -- <url>`), there
 * with reading requests alone unless told otherwise.
 */
import { SERVICE_HEADER } from '../../src/contract/bodies.ts'
import { ENDPOINTS, type Endpoint, type EndpointName, SCOPES, type Scope } from '../../src/contract/endpoints.ts'
import { RATE_LIMIT, REFUSALS } from '../../src/contract/refusals.ts'
import { BODY_SCHEMAS } from '../../src/service/body-schemas.ts'
import { ROUTES } from '../../src/service/routes.ts'
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

export async function exerciseService(url: string, keys: ExerciseKeys, options: ExerciseOptions): Promise<Finding[]> {
  const { readOnly = true, pace, exchange } = options
  const findings: Finding[] = []
  const send = createAsker(url)
  const asked = names.filter((name) => !readOnly || endpointOf(name).method === 'GET')

  function note(endpoint: EndpointName, question: string, basis: Finding['basis'], expected: string, found: string) {
    findings.push({ endpoint, question, basis, expected, found, holds: found === expected })
  }

  const { ask, askFor } = createQuestions()
  function createQuestions() {
    async function askOnce(name: EndpointName, changes: Partial<Ask> = {}): Promise<Reply> {
      if (changes.paced !== false) await pace()
      const { method, path } = endpointOf(name)
      const parameter = changes.parameter ?? (path.includes('{exchange}') ? exchange : 'unknown')
      const query = changes.query ?? (name === 'listSymbols' ? '?type=spot' : '')
      return send({
        method: changes.method ?? method,
        path: `${path.replace(/\{\w+\}/, encodeURIComponent(parameter))}${query}`,
        keys: changes.keys === undefined ? keys.all : changes.keys,
        headers: changes.headers ?? {},
        body: 'body' in changes ? changes.body : ROUTES[name].body === null ? undefined : bodyOf(name, options),
      })
    }
    async function askAndNote(
      name: EndpointName,
      question: string,
      basis: Finding['basis'],
      expected: string,
      changes: Partial<Ask> = {},
    ): Promise<Reply> {
      const reply = await askOnce(name, changes)
      note(name, question, basis, expected, outcomeOf(reply))
      return reply
    }
    return { ask: askOnce, askFor: askAndNote }
  }

  async function refusals(name: EndpointName): Promise<void> {
    const { all, only, revoked, elsewhere } = keys
    const { scope, path, method } = endpointOf(name)
    await askFor(name, 'without keys', 'document', '401 AuthRequired', { keys: null })
    await askFor(name, 'with X-API-Key alone', 'A-19', '401 AuthRequired', { keys: { ...all, secretKey: '' } })
    await askFor(name, 'with X-Secret-Key alone', 'A-19', '401 AuthRequired', { keys: { ...all, apiKey: '' } })
    const unknown = { apiKey: 'unknown', secretKey: all.secretKey }
    await askFor(name, 'with an unknown key', 'document', '401 ApiKeyInvalid', { keys: unknown })
    const mismatched = { apiKey: all.apiKey, secretKey: 'unknown' }
    await askFor(name, 'with a secret of another key', 'document', '401 ApiKeyInvalid', { keys: mismatched })
    if (revoked) await askFor(name, 'with a revoked key', 'document', '401 ApiKeyInvalid', { keys: revoked })
    if (elsewhere) await askFor(name, 'from a wrong address', 'document', '403 ApiKeyAddress', { keys: elsewhere })
    for (const other of only === undefined ? [] : SCOPES.filter((each) => each !== scope)) {
      await askFor(name, `with the scope ${other} alone`, 'document', '403 ApiKeyScope', {
        keys: only?.[other] ?? null,
      })
    }
    const strange = { query: '?strange=1' }
    await askFor(name, 'with a query parameter nobody knows', 'A-27', '400 InvalidPayload', strange)
    if (path.includes('{id}')) await askFor(name, 'with an unknown id', 'A-18', '404 NotFound')
    if (path.includes('{exchange}')) {
      await askFor(name, 'with an unknown exchange', 'A-05', '404 NotFound', { parameter: 'nowhere' })
    }
    if (method === 'GET') return
    await askFor(name, 'with a method of no endpoint', 'A-18', '405 MethodNotAllowed', { method: 'PATCH' })
    if (ROUTES[name].body !== null) await bodyRefusals(name)
  }

  async function bodyRefusals(name: EndpointName): Promise<void> {
    const { id } = name === 'updateBot' ? await createdBot() : { id: 'unknown' }
    const text = { 'Content-Type': 'text/plain' }
    const to = { parameter: id }
    await askFor(name, 'as text/plain', 'A-18', '415 UnsupportedMediaType', { ...to, headers: text })
    await askFor(name, 'with 100 kB', 'A-18', '413 PayloadTooLarge', { ...to, body: 'x'.repeat(100_000) })
    for (const [what, body] of [
      ['no JSON', '{'],
      ['a key twice', '{"isDemo":true,"isDemo":false}'],
    ]) {
      await askFor(name, `with ${what}`, 'A-27', '400 InvalidPayload', { ...to, body })
    }
    const wrong = { ...bodyOf(name, options), takeProfit: -1, colour: 'red' }
    if (name === 'validateBot') {
      const reply = await ask(name, { body: wrong })
      note(name, 'a payload that is wrong', 'A-17', 'false', String(fieldsOf(reply).valid))
    } else {
      await askFor(name, 'with an invalid payload', 'A-18', '400 InvalidPayload', { ...to, body: wrong })
    }
  }

  async function createdBot(): Promise<{ id: string }> {
    const { id } = fieldsOf(await ask('createBot'))
    return { id: String(id) }
  }

  /** A reply as our assumptions spell it: its status, and every field of its body. */
  async function spelled(name: EndpointName, question: string, changes: Partial<Ask> = {}): Promise<Reply> {
    const { status, reply: schema } = ROUTES[name]
    const reply = await askFor(name, `${question}: status`, 'A-09', String(status), changes)
    if (schema !== null && reply.status < 300) {
      const parsed = BODY_SCHEMAS[schema].safeParse(reply.json)
      note(
        name,
        `${question}: body`,
        SPELLED_BY[name],
        'as spelled',
        parsed.success ? 'as spelled' : parsed.error.message,
      )
    }
    return reply
  }

  async function reading(): Promise<void> {
    await spelled('readLimits', 'the limits')
    await spelled('listBots', 'the bots of the user', { query: `?userEmail=${encodeURIComponent(options.userEmail)}` })
    await spelled('listJobs', 'the jobs')
    await spelled('listSymbols', 'spot symbols', { query: `?type=spot&quote=${options.quoteAsset}` })
    await askFor('listSymbols', 'symbols that are not spot', 'A-22', '400 InvalidPayload', { query: '?type=futures' })
  }

  async function lifeOfBot(): Promise<void> {
    await spelled('validateBot', 'a payload that is right')
    const created = await spelled('createBot', 'a demo bot')
    const parameter = String(fieldsOf(created).id)
    if (fieldsOf(await spelled('readBot', 'the bot', { parameter })).isDemo !== true) return // never start what is not a demo
    await spelled('updateBot', 'the bot renamed', {
      parameter,
      body: { ...bodyOf('updateBot', options), name: 'renamed' },
    })
    await spelled('startBot', 'the bot', { parameter })
    for (const name of ['listExecutions', 'listOrders', 'readPnl'] as const) {
      await spelled(name, 'of the running bot', { parameter })
    }
    const stop = (query: string) => spelled('stopBot', `the bot with ${query || 'nothing said'}`, { parameter, query })
    for (const query of ['?closePosition=false', '', '?closePosition=true']) await stop(query)
    const perhaps = { parameter, query: '?closePosition=perhaps' }
    await askFor('stopBot', 'with closePosition=perhaps', 'A-31', '400 InvalidPayload', perhaps)
    // Anywhere but here this would be a bot with real funds.
    if (created.headers.get(SERVICE_HEADER)?.startsWith('embedded:')) {
      const real = { body: { ...bodyOf('createBot', options), isDemo: false } }
      await askFor('createBot', 'a real bot', 'A-19', '400 BotPlanLimit', real)
    }
  }

  async function lifeOfJob(): Promise<void> {
    const parameter = String(fieldsOf(await spelled('createJob', 'a job')).id)
    await spelled('readJob', 'the job', { parameter })
    await spelled('listJobs', 'with a job in it')
    await spelled('deleteJob', 'the job', { parameter })
    await askFor('readJob', 'once it is deleted', 'A-08', '404 NotFound', { parameter })
  }

  /** Uses up a minute and a day; refused requests count in neither. */
  async function limits(pair: Pair): Promise<void> {
    const remaining = Number(fieldsOf(await ask('readLimits', { keys: pair })).remaining)
    for (let i = 0; i < remaining; i += 1) await ask('createJob', { keys: pair })
    const refused = await askFor('createJob', 'beyond the allowance', 'document', '429 ApiKeyBacktestLimit', {
      keys: pair,
    })
    note('createJob', 'says when to come back', 'A-24', 'true', String(Number(refused.headers.get('Retry-After')) >= 1))
    const left = fieldsOf(await ask('readLimits', { keys: pair }))
    note('readLimits', 'when the allowance is spent', 'A-11', 'remaining 0', `remaining ${left.remaining}`)

    const unpaced = { keys: pair, paced: false }
    let accepted = 0
    while (accepted <= RATE_LIMIT.count && (await ask('readLimits', unpaced)).status === 200) accepted += 1
    note(
      'readLimits',
      'never lets the 121st request of a minute through',
      'document',
      'true',
      String(accepted <= RATE_LIMIT.count),
    )
    for (const name of names) {
      await askFor(name, 'beyond the rate', 'document', '429 ApiKeyRateLimit', unpaced)
    }
  }

  for (const name of asked) await refusals(name)
  await reading()
  if (readOnly) return findings
  await lifeOfBot()
  await lifeOfJob()
  if (keys.spendable !== undefined) await limits(keys.spendable)
  return findings
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
