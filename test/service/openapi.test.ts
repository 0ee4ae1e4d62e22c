/** The service describes itself: openapi.json and its page, for anyone on this machine, and no one else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { METRIC_NAMES, METRICS } from '../../src/contract/metrics.ts'
import type { RunningService } from '../../src/service/start.ts'
import { ask, openWorld, refusalOf, type World } from './world.ts'

let world: World
let service: RunningService
let document: OpenApi
beforeAll(async () => {
  world = openWorld()
  service = await world.start()
  document = JSON.parse((await ask(service, { path: '/openapi.json' })).text) // the shape under test
})
afterAll(() => world.clear())

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { name: string; in: string; required?: boolean; schema: object }[]
  readonly requestBody?: { content: Record<string, { schema: object }> }
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}

interface OpenApi {
  readonly openapi: string
  readonly info: { title: string; version: string }
  readonly servers: readonly { url: string }[]
  readonly security: readonly Record<string, readonly string[]>[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { securitySchemes: Record<string, object>; schemas: Record<string, object> }
}

function findIn(node: unknown, path: string): unknown {
  return path.split('.').reduce((found, key) => Reflect.get(Object(found), key), node)
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

describe('openapi.json', () => {
  it('holds exactly the sixteen endpoints of the API document', () => {
    const found = operations().map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`)
    const written = Object.entries(ENDPOINTS).map(
      ([name, { method, path }]) => `${name} ${method.toLowerCase()} ${path}`,
    )
    expect(found.toSorted()).toEqual(written.toSorted())
  })

  it.each(METRIC_NAMES)('describes %s as its row does: its kind of number, and whether it may be null', (name) => {
    const path = name.replaceAll('.', '.properties.')
    const found = JSON.stringify(findIn(document.components.schemas.Metrics, `properties.${path}`))
    const { unit, whole, nullWhen } = METRICS[name]
    expect(found).toContain(`"${unit === 'yes/no' ? 'boolean' : whole ? 'integer' : 'number'}"`)
    expect(found.includes('"null"')).toBe(nullWhen !== null)
  })

  it('lets a deal be without its worst open loss, as results of earlier versions are, and means null by it', () => {
    const { JobResult, OpenDeal } = document.components.schemas
    for (const deal of [findIn(JobResult, 'properties.deals.items'), OpenDeal]) {
      expect(findIn(deal, 'required')).toEqual(expect.arrayContaining(['cost', 'profit']))
      expect(findIn(deal, 'required')).not.toContain('lowestValue')
      expect(findIn(deal, 'properties.lowestValue')).toMatchObject({ default: null })
    }
  })

  it('keeps the rules of OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    expect(document.servers).toEqual([{ url: service.url }])
    expect(Object.keys(document.security[0])).toEqual(Object.keys(document.components.securitySchemes))
    expect(new Set(operations().map(({ operation }) => operation.operationId)).size).toBe(16)
    for (const { path, operation } of operations()) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      for (const parameter of inPath) expect(parameter.required).toBe(true)
      const names = operation.parameters.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(Object.keys(operation.responses)).toContain('401')
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/)
        expect(response.description).not.toBe('')
      }
    }
  })

  it('refers only to schemas it holds, and each of them is a schema', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
    expect(references.length).toBeGreaterThan(100)
    const held = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(references.filter((reference) => !held.includes(reference))).toEqual([])
    const $defs = document.components.schemas
    for (const name of Object.keys($defs)) {
      const schema = JSON.parse(
        JSON.stringify({ $ref: `#/$defs/${name}`, $defs }).replaceAll('#/components/schemas/', '#/$defs/'),
      )
      expect(z.fromJSONSchema(schema).safeParse(Symbol('no JSON value')).success).toBe(false)
    }
  })

  it('names every parameter that the API document names', () => {
    for (const { operation } of operations()) {
      const { query } = ENDPOINTS[operation.operationId as keyof typeof ENDPOINTS] // compared above
      const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
      expect(inQuery.slice(0, query.length)).toEqual(query)
    }
  })
})

describe('the page', () => {
  it('lists every endpoint, runs nothing and loads nothing', async () => {
    const page = await ask(service, { path: '/' })
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=UTF-8')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    for (const { path } of Object.values(ENDPOINTS)) expect(page.text).toContain(`<code>${path}</code>`)
    expect(page.text).not.toMatch(/<script|src=|@import|url\(/)
  })

  it('shows code as code, without the backticks of its source', async () => {
    const { text } = await ask(service, { path: '/' })
    expect(text).toContain('as <code>next</code> gives it')
    expect(text).not.toContain('`')
  })
})

describe('what needs no keys', () => {
  it('counts in no rate', async () => {
    const limited = await world.start({ rate: 1 })
    const keys = limited.issueKeys({ userEmail: 'a@b' })
    for (let i = 0; i < 5; i += 1) expect((await ask(limited, { path: '/openapi.json', keys })).status).toBe(200)
    expect((await ask(limited, { path: '/api/backtest/limits', keys })).status).toBe(200)
  })

  it('is still refused to web pages and foreign names, and is nothing but these two', async () => {
    for (const path of ['/', '/openapi.json']) {
      expect(refusalOf(await ask(service, { path, headers: { Origin: 'null' } }))).toBe('403 OriginRefused')
      expect(refusalOf(await ask(service, { path, headers: { Host: 'evil.example' } }))).toBe('403 HostRefused')
      expect(refusalOf(await ask(service, { path, method: 'POST', body: {} }))).toBe('401 AuthRequired')
    }
    for (const path of ['/openapi.yaml', '/index.html', '//', '/openapi.json/']) {
      expect(refusalOf(await ask(service, { path }))).toBe('401 AuthRequired')
    }
  })
})
