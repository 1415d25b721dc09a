import { randomUUID } from 'node:crypto'
import type { Prepare, Spec, Specs } from '../spec.ts'
import { aSession } from './sessions.ts'

const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'matrix', version: '1' } },
}
const agent = { accept: 'application/json, text/event-stream' }
const browser = { accept: 'text/html' }
const fromElsewhere = { 'x-forwarded-for': '203.0.113.7' }

/** A part of the dashboard that its page names. */
const anAsset: Prepare = async (setup) => {
  const { text } = await setup.api('cook').send('GET', '/', { headers: browser })
  const name = /\/assets\/([\w.-]+)/.exec(text)?.[1] ?? 'missing'
  return { id: '', agentToken: '', params: { name } }
}

/** Rows that need more than a GET of their address. */
export const pageRequests: Specs = {
  'GET /login': { query: '?code=a-code-that-nobody-made', headers: browser },
  'POST /login': { body: { code: 'a-code-that-nobody-made' } },
  'POST /login/passkey/challenge': { body: {} },
  'POST /login/passkey': {
    body: { credentialId: 'AA', clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' },
  },
  'POST /login/device': { body: {}, fresh: true },
  'POST /login/device/wait': { body: { secret: 'that-nobody-made' } },
  'GET /metrics ~ from this machine': { isLocal: true },
  'GET /metrics ~ from elsewhere': { headers: fromElsewhere },
  'POST /mcp': { body: hello, headers: agent },
  'POST /mcp ~ with the session of another': {
    on: aSession,
    query: ({ id }) => `?session_id=${id}`,
    body: hello,
    headers: agent,
  },
  'GET /mcp': { headers: agent },
  'DELETE /mcp': { headers: agent },
  'GET /sse': { stream: true, headers: { accept: 'text/event-stream' } },
  'POST /messages': { body: hello, headers: agent },
  'POST /chat/:id/:path': { body: {}, paramsOf: () => ({ id: randomUUID(), path: 'events' }) },
  'GET /assets/:name': { on: anAsset },
}

/** A view, or a public file. */
export const plainPage: Spec = { headers: browser }
