/** The base address is judged before anything is looked up or sent; ids cannot lead a request elsewhere. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { isUsableId } from '../../../src/workbench/api/reading/shape.ts'
import { checkBaseUrl } from '../../../src/workbench/api/wire/keys.ts'
import { buildUrl } from '../../../src/workbench/api/wire/send.ts'
import { clientOf } from './world.ts'

it.each([
  'http://api.example.com',
  'http://10.0.0.7:8080',
  'https://user:hunter2@api.example.com',
  'https://token@api.example.com',
  'https://api.example.com?key=1',
  'https://api.example.com/v1#part',
  'https://169.254.169.254/latest',
  'https://metadata.google.internal/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://[::ffff:169.254.169.254]/',
  'https://0.0.0.0/',
  'https://100.100.100.200/',
  'ftp://api.example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'api.example.com',
  '//api.example.com',
  'https://2852039166/',
  'https://api.example.com/a%2f..',
  '',
])('%s is refused without a connection, and is not repeated in the refusal', (url) => {
  let fetches = 0
  const fetch: typeof globalThis.fetch = () => {
    fetches++
    return Promise.reject(new Error('no request may be made'))
  }
  let failure: unknown
  try {
    clientOf(url, { fetch })
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({ code: 'settingInvalid', exitCode: 2 })
  expect(String(failure)).not.toContain('hunter2')
  expect(fetches).toBe(0)
})

it.each([
  ['https://api.example.com', { origin: 'https://api.example.com', prefix: '', loopback: false }],
  ['https://api.example.com:8443/v2/', { origin: 'https://api.example.com:8443', prefix: '/v2', loopback: false }],
  ['http://127.0.0.1:4000', { origin: 'http://127.0.0.1:4000', prefix: '', loopback: true }],
  ['http://localhost:4000/', { origin: 'http://localhost:4000', prefix: '', loopback: true }],
  ['http://[::1]:4000/', { origin: 'http://[::1]:4000', prefix: '', loopback: true }],
])('%s is accepted', (url, expected) => {
  expect(checkBaseUrl(url, { tlsUnverified: false })).toEqual(expected)
})

it('without certificate checks only this machine is spoken to', () => {
  expect(() => checkBaseUrl('https://api.example.com', { tlsUnverified: true })).toThrow(/NODE_TLS_REJECT_UNAUTHORIZED/)
  expect(checkBaseUrl('http://127.0.0.1:1', { tlsUnverified: true }).loopback).toBe(true)
})

const base = checkBaseUrl('https://api.example.com/v1', { tlsUnverified: false })

it('no id leads a request out of its path', () => {
  const hostile = fc.constantFrom(
    '..',
    '.',
    '',
    '../bots',
    '..%2f..',
    '%2e%2e',
    'https://evil.example',
    '//evil.example',
    '?x=1',
    '#f',
    'a/../../b',
    '\\\\evil',
    'a\nb',
    '\ud800',
  )
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.string()), (id) => {
      const built = buildUrl(base, { endpoint: 'deleteJob', parameter: id })
      if ('problem' in built) return !isUsableId(id)
      const url = new URL(built.url)
      const segments = url.pathname.split('/')
      return (
        url.origin === base.origin &&
        url.pathname.startsWith('/v1/api/backtest/jobs/') &&
        segments.length === 6 &&
        decodeURIComponent(segments[5]) === id &&
        url.search === ''
      )
    }),
    { numRuns: 2000 },
  )
})

it('an id that could steer a request is not sent at all', async () => {
  let fetches = 0
  const fetch: typeof globalThis.fetch = () => {
    fetches++
    return Promise.reject(new Error('no request may be made'))
  }
  const { client } = clientOf('http://127.0.0.1:9', { fetch })
  expect(await client.readJob('..')).toMatchObject({ kind: 'failed', unreachable: false })
  expect(await client.deleteJob('')).toMatchObject({ kind: 'notSent' })
  expect(fetches).toBe(0)
})
