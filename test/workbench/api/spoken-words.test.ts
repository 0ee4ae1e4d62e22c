/** A stranger's error body is shown as the sentence in it, however deep that lies, and never as raw JSON where there is one. */
import { expect, it } from 'vitest'
import { wordsIn } from '../../../src/workbench/api/reading/spoken-refusal.ts'
import { readAnswer } from '../../../src/workbench/api/wire/read-answer.ts'

/** As services of many makes spell them. */
const BODIES: Readonly<Record<string, readonly [body: unknown, said: string]>> = {
  'our own': [
    { error: { code: 'Invalid', message: 'the bot', details: [{ field: 'takeProfit', message: 'must be above 0' }] } },
    'the bot; takeProfit: must be above 0',
  ],
  'two errors deep': [{ status: 'error', error: { error: { code: 17, message: 'Too many bots' } } }, 'Too many bots'],
  'inside data': [{ success: false, data: { error: { msg: 'No such pair' } } }, 'No such pair'],
  'problem details with fields (ASP.NET)': [
    {
      type: 'about:blank',
      title: 'One or more errors',
      status: 400,
      errors: { takeProfit: ['must be above 0', 'is odd'] },
    },
    'One or more errors; takeProfit: must be above 0; takeProfit: is odd',
  ],
  'a list of messages (NestJS)': [
    { statusCode: 400, message: ['name must be a string', 'leverage is too high'], error: 'Bad Request' },
    'name must be a string; leverage is too high',
  ],
  'places as lists (FastAPI)': [
    { detail: [{ loc: ['body', 'investment'], msg: 'field required', type: 'value_error' }] },
    'body.investment: field required',
  ],
  'pointers (JSON:API)': [
    { errors: [{ title: 'Invalid', detail: 'must be above 0', source: { pointer: '/data/takeProfit' } }] },
    '/data/takeProfit: must be above 0',
  ],
  'attributes (3Commas)': [
    { error: 'record_invalid', error_description: 'Invalid parameters', error_attributes: { pairs: ['is missing'] } },
    'Invalid parameters; pairs: is missing',
  ],
  'an empty message around a full one (OKX)': [
    { code: '1', msg: '', data: [{ sCode: '51000', sMsg: 'Parameter sz error' }] },
    'Parameter sz error',
  ],
  'another service’s body as a text': [
    { error: { message: '{"retCode":10001,"retMsg":"Qty invalid"}' } },
    'Qty invalid',
  ],
  'one word': [{ error: 'forbidden' }, 'forbidden'],
}

it.each(Object.entries(BODIES))('%s', (_, [body, said]) => {
  expect(wordsIn(body).join('; ')).toBe(said)
})

function rejected(text: string) {
  const raw = { status: 422, text, receivedAt: 0, serverDate: null }
  const value: unknown = JSON.parse(text)
  return readAnswer(
    'createJob',
    { raw, json: { value }, binary: null, retryAfter: null, announced: null, askedAt: 0 },
    0,
  )
}

it('where there is none the body stands for itself, shortened: what was asked, sent back, is no sentence', () => {
  const echo = JSON.stringify({ data: { exchange: 'binance', name: 'a bot' } })
  expect(rejected(echo)).toMatchObject({ message: echo })
  expect(rejected('{"error":{"message":"a\\u001b[31m\\nb"}}')).toMatchObject({ message: 'a [31m b' })
})

it('a body without end is read within bounds', () => {
  let deep: unknown = { message: 'far below' }
  for (let level = 0; level < 1000; level++) deep = { error: deep, errors: [deep] }
  expect(wordsIn(deep)).toEqual([])
  expect(wordsIn({ errors: Array.from({ length: 1000 }, (_, n) => `no ${n}`) }).length).toBe(20)
})
