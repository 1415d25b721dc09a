import { escapeHtml, page } from './html.ts'
import type { OpenApi, ApiOperation } from './openapi.ts'

/** The OpenAPI document for people: plain HTML without scripts or external resources. */
export function docsPage(document: OpenApi): Response {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? '')
  const sections = [...byTag].map(
    ([tag, list]) => `<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>
${list.map(({ path, method, operation }) => describe(path, method, operation)).join('\n')}`,
  )
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => !name.endsWith('Input'))
    .map(
      ([name, schema]) =>
        `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>
<pre><code>${escapeHtml(JSON.stringify(schema, null, 2))}</code></pre></details>`,
    )
  return page(
    'API · Signalbox',
    `<h1><img src="/icon.svg" alt="">The API</h1>
<p>Everything a person can do with Signalbox, a program can do here. Times are ISO 8601 UTC, names are camelCase.
Also available as <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<div class="card"><p>Make a token and try it:</p>
<pre><code>signalbox tokens create --name my-program --scope full
curl -H "authorization: Bearer $TOKEN" ${escapeHtml('http://127.0.0.1:3000')}/api/sessions</code></pre>
<p>Errors have the same shape everywhere: <code>{"error": {"code", "message", "hint?", "details?"}}</code>.
A POST with an <code>Idempotency-Key</code> is carried out once, however often it is sent.
<code>GET /api/events</code> streams events; <code>Last-Event-ID</code> resumes after any gap.</p></div>
${sections.join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}`,
    { width: 'wide' },
  )
}

function describe(path: string, method: string, operation: ApiOperation): string {
  const parameters = operation.parameters.filter((parameter) => parameter.in !== 'header')
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}${required ? ', required' : ''}</td>
<td>${escapeHtml(description ?? brief(schema))}</td></tr>`,
  )
  const table =
    rows.length === 0
      ? ''
      : `<div class="scroll"><table><tr><th>name</th><th>in</th><th>what</th></tr>${rows.join('')}</table></div>`
  const body = operation.requestBody?.content['application/json']?.schema
  const shownBody = body
    ? `<p class="soft">Body</p><pre><code>${escapeHtml(JSON.stringify(body, null, 2))}</code></pre>`
    : ''
  return `<details><summary><span class="method">${method.toUpperCase()}</span><code>${escapeHtml(path)}</code>
<span class="soft">${escapeHtml(operation.summary)}</span></summary>${table}${shownBody}</details>`
}

const brief = (schema: Record<string, unknown>): string =>
  ['type', 'enum', 'format', 'minimum', 'maximum', 'default']
    .filter((key) => schema[key] !== undefined && JSON.stringify(schema[key]).length < 200)
    .map((key) => (key === 'type' ? String(schema[key]) : `${key} ${JSON.stringify(schema[key])}`))
    .join(', ')
