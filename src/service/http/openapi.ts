/** The service as an OpenAPI 3.1 document and as a page, made from the same tables that route its requests. */
import * as z from 'zod'
import { ENDPOINTS, type Endpoint, type EndpointName, KEY_HEADER, SECRET_HEADER } from '../../contract/endpoints.ts'
import { REFUSAL_STATUS, type ServiceRefusalCode } from '../refusal.ts'
import { BODY_SCHEMAS } from './body-schemas.ts'
import { parametersOf } from './parameters.ts'
import { ROUTES } from './routes.ts'

const schemas = '#/components/schemas/'

/** A JSON value; its `paths` hold exactly the endpoints of the API document. */
export function openApiDocument(url: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    // keys of a const literal
    const { method, path }: Endpoint = ENDPOINTS[name]
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(name) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trading Bot Management API, embedded',
      version: '1',
      summary: 'Demo bots, backtests and symbols on local candles.',
      description:
        'Paths, scopes, refusals and limits are those of the API document; bodies and parameters it does not show are answers of this service, numbered A-01 … in its assumptions.',
    },
    servers: [{ url }],
    security: [{ apiKey: [], secretKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: KEY_HEADER },
        secretKey: { type: 'apiKey', in: 'header', name: SECRET_HEADER },
      },
      schemas: bodySchemasAsJson(schemas),
    },
  }
}

/** Every schema as JSON Schema (2020-12), referring to each other below `base`. */
function bodySchemasAsJson(base: string): Record<string, unknown> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(BODY_SCHEMAS)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `${base}${id}`,
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format?.startsWith('date')) delete jsonSchema.pattern // the format says the same and is shorter
    },
  })
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]))
}

function describeOperation(name: EndpointName): Record<string, unknown> {
  const endpoint: Endpoint = ENDPOINTS[name]
  const route = ROUTES[name]
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }))
  const inQuery = parametersOf(name).map(([field, { description, schema }]) => ({
    name: field,
    in: 'query',
    description,
    schema,
  }))
  return {
    operationId: name,
    summary: route.summary,
    description: `Needs the scope ${endpoint.scope}.`,
    parameters: [...inPath, ...inQuery],
    ...(route.body === null ? {} : { requestBody: { required: true, content: jsonOf(route.body) } }),
    responses: {
      [route.status]: {
        description: route.summary,
        ...(route.reply === null ? {} : { content: jsonOf(route.reply) }),
      },
      ...describeRefusals(refusalsOf(name)),
    },
  }
}

/** Endpoints that are refused for a bot that cannot be computed. It can still be read, listed, updated and stopped. */
const LIFE_ENDPOINTS: readonly EndpointName[] = ['startBot', 'stopBot', 'listExecutions', 'listOrders', 'readPnl']

/** Every refusal that a request for this endpoint can get, including those for requests that are not admitted. */
function refusalsOf(name: EndpointName): ServiceRefusalCode[] {
  const { path }: Endpoint = ENDPOINTS[name]
  return [
    ...(['AuthRequired', 'ApiKeyInvalid', 'HostRefused', 'OriginRefused', 'ApiKeyAddress', 'ApiKeyScope'] as const),
    'InvalidPayload',
    ...(name === 'createBot' ? (['BotPlanLimit'] as const) : []),
    ...(path.includes('{') ? (['NotFound'] as const) : []),
    ...(LIFE_ENDPOINTS.includes(name) ? (['BotUnusable'] as const) : []),
    ...(ROUTES[name].body === null ? [] : (['PayloadTooLarge', 'UnsupportedMediaType'] as const)),
    'ApiKeyRateLimit',
    ...(name === 'createJob' ? (['ApiKeyBacktestLimit'] as const) : []),
    'InternalError',
    'ServiceBusy',
  ]
}

function describeRefusals(codes: readonly ServiceRefusalCode[]): Record<string, unknown> {
  const byStatus = new Map<number, ServiceRefusalCode[]>()
  for (const code of codes) byStatus.set(REFUSAL_STATUS[code], [...(byStatus.get(REFUSAL_STATUS[code]) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, named]) => [
      status,
      {
        description: named.join(', '),
        ...(status === 429 || status === 503
          ? { headers: { 'Retry-After': { description: 'Whole seconds.', schema: { type: 'integer', minimum: 1 } } } }
          : {}),
        content: jsonOf('Error'),
      },
    ]),
  )
}

function jsonOf(schema: string) {
  return { 'application/json': { schema: { $ref: `${schemas}${schema}` } } }
}

// GET /: the endpoints on one page, from the same table that routes them. It has no script and loads nothing.

export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

export function servicePage(): string {
  const names = Object.keys(ENDPOINTS) as EndpointName[] // keys of a const literal
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trading Bot Management API, embedded</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #d8dee4; }
code { font: 13px ui-monospace, monospace; }
</style>
</head>
<body>
<h1>Trading Bot Management API, embedded</h1>
<p>Demo bots, backtests and symbols on local candles. Every request carries <code>X-API-Key</code> and <code>X-Secret-Key</code>;
this page and <a href="/openapi.json">openapi.json</a> need none.</p>
<h2>Endpoints</h2>
<table>
<tr><th>Method</th><th>Path</th><th>Scope</th><th>Query</th><th>Body</th><th>Answer</th></tr>
${names.map(rowOf).join('\n')}
</table>
<h2>Query parameters</h2>
<table>
${names.flatMap(parameterRows).join('\n')}
</table>
<h2>Refusals</h2>
<p>One shape: <code>{ "error": { "code", "message", "details"? } }</code></p>
<table>
${Object.entries(REFUSAL_STATUS)
  .map(([code, status]) => `<tr><td>${status}</td><td><code>${code}</code></td></tr>`)
  .join('\n')}
</table>
</body>
</html>
`
}

function parameterRows(name: EndpointName): string[] {
  const { method, path }: Endpoint = ENDPOINTS[name]
  const endpoint = `${method} <code>${escapeHtml(path)}</code>`
  return parametersOf(name).map(
    ([field, { description }]) =>
      `<tr><td>${endpoint}</td><td><code>${field}</code></td><td>${proseHtml(description)}</td></tr>`,
  )
}

function rowOf(name: EndpointName): string {
  const { method, path, scope }: Endpoint = ENDPOINTS[name]
  const { body, reply, status, summary } = ROUTES[name]
  const cells = [
    method,
    `<code>${escapeHtml(path)}</code><br>${proseHtml(summary)}`,
    scope,
    parametersOf(name)
      .map(([field]) => `<code>${field}</code>`)
      .join(' '),
    body ?? '',
    `${status} ${reply ?? ''}`,
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

/** Text of the contract as HTML; `code` between backticks becomes a code element. */
function proseHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
