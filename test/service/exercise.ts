/**
 * Asks a running service every question of the API document over real HTTP: every endpoint, every refusal, and whether bodies are as
 * our assumptions spell them. Runs against our own service in CI, and by hand against any other (`npm run exercise -- <url>`), there
 * with reading requests alone unless told otherwise.
 */
import { BACKTEST_ALLOWANCE, RATE_LIMIT, SERVICE_HEADER } from '../../src/contract/bodies.ts'
import { ENDPOINTS, type EndpointName, SCOPES } from '../../src/contract/endpoints.ts'
import { ROUTES } from '../../src/service/http/routes.ts'
import { createAsker, type Pair } from './exercise-asker.ts'
import {
  type Ask,
  ask,
  bodyOf,
  type Exercise,
  endpointOf,
  expect,
  expectSpelled,
  fieldsOf,
  idOf,
  note,
} from './exercise-questions.ts'
import type { ExerciseKeys, ExerciseOptions, Finding } from './exercise-terms.ts'

const names = Object.keys(ENDPOINTS) as EndpointName[] // keys of a const literal

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
  const created = await expectSpelled(exercise, 'createJob', 'a job')
  const parameter = idOf(created)
  await expectSpelled(exercise, 'readJob', 'the job', { parameter })
  await expectSpelled(exercise, 'listJobs', 'with a job in it')
  await expectSpelled(exercise, 'deleteJob', 'the job', { parameter })
  const deleted = { question: 'once it is deleted', basis: 'A-08', expected: '404 NotFound' } as const
  await expect(exercise, 'readJob', deleted, { parameter })
  // An extension of our own service: no other is sent any of it.
  if (created.headers.get(SERVICE_HEADER)?.startsWith('embedded:')) await askForSettings(exercise)
}

async function askForSettings(exercise: Exercise): Promise<void> {
  const ask = (settings: unknown) => ({ body: { ...bodyOf('createJob', exercise.options), settings } })
  const costs = { feePercent: 0.5, slippagePercent: 0.01 }
  const dear = await expectSpelled(exercise, 'createJob', 'a job at another fee', ask({ costs }))
  const { request } = fieldsOf(dear)
  const stated = { question: 'whether it says so', basis: 'A-40', expected: 'true' } as const
  note(exercise, 'createJob', stated, String(JSON.stringify(request).includes(JSON.stringify(costs))))
  const wrong = { question: 'at a fee of text', basis: 'A-40', expected: '400 InvalidPayload' } as const
  await expect(exercise, 'createJob', wrong, ask({ costs: { ...costs, feePercent: '0.5' } }))
  await expectSpelled(exercise, 'deleteJob', 'the dear job', { parameter: idOf(dear) })
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
