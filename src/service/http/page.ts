/** GET /: the endpoints on one page, from the same table that routes them. It has no script and loads nothing. */
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../contract/endpoints.ts'
import { REFUSAL_STATUS } from '../refusal.ts'
import { parametersOf } from './parameters.ts'
import { ROUTES } from './routes.ts'

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
