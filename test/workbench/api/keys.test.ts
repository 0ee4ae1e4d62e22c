/** Keys live in one value: nothing that prints, throws, stores or comes back holds them (H55). */
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Keys } from '../../../src/workbench/api/wire/keys.ts'
import { API_KEY, CALLS, clientOf, SECRET_KEY, scriptedService } from './world.ts'

/** How a key can be spelled in somebody else's text. */
function spellings(key: string): string[] {
  const bytes = Buffer.from(key)
  return [
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    [...key].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    bytes.toString('base64'),
    bytes.toString('base64').replaceAll('=', ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]
}

const canaries = [API_KEY, SECRET_KEY].flatMap(spellings)

function expectClean(text: string): void {
  for (const canary of canaries) expect(text).not.toContain(canary)
}

it('prints as [secret] however it is printed', () => {
  const keys = new Keys(API_KEY, SECRET_KEY)
  const shown = [
    String(keys),
    `${keys}`,
    JSON.stringify({ keys }),
    inspect(keys),
    inspect({ deep: [keys] }, { depth: 9, showHidden: true, getters: true }),
    Object.entries(keys).join(),
    new Error(`with ${keys}`).stack ?? '',
  ]
  for (const text of shown) expectClean(text)
  expect(JSON.stringify({ keys })).toBe('{"keys":"[secret]"}')
})

it.each(['', '  ', 'with space', 'line\nbreak', 'tab\t', 'é', '\u0000', '\u{1f511}x'])(
  'a key that no header can carry is refused without being shown: %j',
  (inner) => {
    const bad = inner.trim() === '' ? inner : `canary${inner}canary`
    let message = ''
    try {
      new Keys(bad, SECRET_KEY)
    } catch (error) {
      message = inspect(error)
    }
    expect(message).toContain('DCALAB_API_KEY')
    expect(message).not.toContain('canary')
  },
)

it('white space around a key is dropped, as copied text has it', () => {
  expect(new Keys(' abcdef\n', 'ghijkl').headers()).toEqual({ 'X-API-Key': 'abcdef', 'X-Secret-Key': 'ghijkl' })
})

it('strikes a key out of any text around it, in every spelling, and nothing else', () => {
  const key = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 12,
  })
  const around = fc.string({ unit: fc.constantFrom('ä', ' ', '\n', '#') })
  fc.assert(
    fc.property(key, key, around, around, (apiKey, secretKey, before, after) => {
      const keys = new Keys(apiKey, secretKey)
      for (const spelling of [...spellings(apiKey), ...spellings(secretKey)]) {
        const clean = keys.scrub(`${before}${spelling}${after}`)
        expect(clean.includes(spelling)).toBe(false)
        expect(clean.startsWith(before) && clean.endsWith(after)).toBe(true)
      }
      expect(keys.scrub(before + after)).toBe(before + after)
    }),
    { numRuns: 300 },
  )
})

it('base64 of a text that holds the key gives nothing of it away', () => {
  const keys = new Keys(API_KEY, SECRET_KEY)
  for (const before of ['', 'a', 'ab', 'abc']) {
    const encoded = Buffer.from(`${before}${API_KEY}:tail`).toString('base64')
    const decoded = Buffer.from(keys.scrub(encoded).replace('[secret]', ''), 'base64').toString('latin1')
    expect(decoded).not.toContain(API_KEY.slice(4, -4))
  }
})

it('a service that echoes the keys in every spelling gets none of them into an outcome', async () => {
  const echo = JSON.stringify({
    error: { code: 'Echo', message: canaries.join(' ') },
    id: 'job-1',
    name: canaries.join(' '),
  })
  for (const [name, { call }] of Object.entries(CALLS)) {
    for (const status of [200, 302, 400, 401, 403, 404, 409, 418, 429, 500]) {
      const service = await scriptedService((_hit, response) => {
        response.writeHead(status, { 'content-type': 'application/json', location: `/${encodeURIComponent(API_KEY)}` })
        response.end(echo)
      })
      const { client, waits } = clientOf(service.url)
      const outcome = await call(client)
      expectClean(inspect(outcome, { depth: 20, maxStringLength: null }) + JSON.stringify(outcome) + waits.join())
      expect([name, status, JSON.stringify(outcome).includes('[secret]')]).toEqual([name, status, true])
      await service.close()
    }
  }
})

it('errors of the network and of fetch come back in our own words, without headers', async () => {
  const leaky: typeof fetch = (_input, init) => {
    const error = new TypeError(`fetch failed with ${JSON.stringify(init?.headers)} ${API_KEY}`)
    return Promise.reject(
      Object.assign(error, { options: init, cause: new Error(`sent ${API_KEY} and ${SECRET_KEY}`) }),
    )
  }
  for (const { call } of Object.values(CALLS)) {
    const outcome = await call(clientOf('http://127.0.0.1:9', { fetch: leaky }).client)
    expectClean(inspect(outcome, { depth: 20, showHidden: true }))
    expect(JSON.stringify(outcome)).toContain('[secret]')
  }
})

it('the account is told apart by a hash that does not give the key away', () => {
  const fingerprint = new Keys(API_KEY, SECRET_KEY).fingerprint()
  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(fingerprint).toBe(new Keys(` ${API_KEY}`, 'another').fingerprint())
})
