/** The contract is the API document as data: nothing more, nothing less. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ASSUMPTIONS } from '../../src/contract/assumptions.ts'
import { BACKTEST_ALLOWANCE, RATE_LIMIT, REFUSALS } from '../../src/contract/bodies.ts'
import { BOT_FIELDS, CONFIG_FIELDS } from '../../src/contract/bot.ts'
import { ENDPOINTS, KEY_HEADER, SCOPES, SECRET_HEADER } from '../../src/contract/endpoints.ts'
import { sharedDocument } from '../support/shared-data.ts'

const path = sharedDocument('trading-bot-management-api.md')

describe.skipIf(path === undefined)('the API document and our constants', () => {
  const text = path === undefined ? '' : readFileSync(path, 'utf8')

  it('agree on every endpoint: method, path, scope and query parameters', () => {
    const written = table(text, '| Method | Path |').map(([method, endpoint, scope, query]) => ({
      method,
      path: endpoint,
      scope,
      query: query.startsWith('none') ? [] : [...query.matchAll(/(\w+) \(/g)].map((match) => match[1]),
    }))
    expect(written).toHaveLength(16)
    expect(Object.values(ENDPOINTS).toSorted(byPath)).toEqual(written.toSorted(byPath))
  })

  it('agree on every refusal: status, code and meaning', () => {
    const written = table(text, '| Status | Code |').map(([status, code, meaning]) => [
      code,
      { status: Number(status), meaning },
    ])
    expect(written).toHaveLength(7)
    expect(REFUSALS).toEqual(Object.fromEntries(written))
  })

  it('agree on every field of the creation payload', () => {
    const written = table(text, '| Field | Type |').map(([field, type]) => [field, type])
    expect(BOT_FIELDS).toEqual(Object.fromEntries(written))
    for (const field of CONFIG_FIELDS) expect(Object.keys(BOT_FIELDS)).toContain(field)
  })

  it('agree on headers, scopes and limits', () => {
    expect(text).toContain(`${KEY_HEADER} and ${SECRET_HEADER}`)
    expect([...text.matchAll(/^ {3}- (\w+): /gm)].map((match) => match[1])).toEqual([...SCOPES])
    const limits = table(text, '| Limit | Value |').map(([, value]) => value)
    expect(limits).toEqual([
      `${RATE_LIMIT.count} requests per minute`,
      `${BACKTEST_ALLOWANCE.count} per ${BACKTEST_ALLOWANCE.windowMs / 3_600_000} hours`,
    ])
    expect(RATE_LIMIT.windowMs).toBe(60_000)
  })

  it('agree on every silence that we answer: the quote stands in the document', () => {
    for (const { id, quote } of ASSUMPTIONS) expect(text.includes(quote), `${id} quotes "${quote}"`).toBe(true)
  })

  it('leave no silence unanswered', () => {
    const silences = text.split('\n').filter((line) => /not shown|not described/.test(line))
    const unanswered = silences.filter(
      (line) =>
        !ASSUMPTIONS.some(({ quote }) => line.includes(quote)) && !NOT_RELIED_ON.some((part) => line.includes(part)),
    )
    expect(unanswered).toEqual([])
  })
})

/** Silences that nothing of ours depends on. */
const NOT_RELIED_ON = [
  'none shown', // table cells that say an endpoint shows no query parameter
  'Events, callbacks or webhooks',
  'Versioning scheme, version headers',
]

describe('assumptions', () => {
  it('are numbered without gaps', () => {
    const numbers = ASSUMPTIONS.map(({ id }) => id)
    expect(numbers).toEqual(numbers.map((_, i) => `A-${String(i + 1).padStart(2, '0')}`))
  })
})

function table(text: string, head: string): string[][] {
  const lines = text.slice(text.indexOf(head)).split('\n').slice(2)
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  )
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function byPath(a: { method: string; path: string }, b: { method: string; path: string }): number {
  return `${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1
}
