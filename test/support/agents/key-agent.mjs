// An ACP agent that opens no session before somebody signed it in with a key, which it keeps in KEY_AGENT_HOME.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const kept = join(process.env['KEY_AGENT_HOME'] ?? '/nonexistent', 'key')
const methods = [
  { id: 'key', name: 'Use YARD_KEY', description: 'A key of the yard', type: 'env_var', vars: [{ name: 'YARD_KEY' }] },
  { id: 'forgets', name: 'For now', vars: [{ name: 'LD_PRELOAD' }, { name: 'YARD_KEY' }] },
  { id: 'away', name: 'In a terminal', _meta: { 'terminal-auth': { command: '/bin/sh', args: ['-c', 'evil'] } } },
]

if (process.argv.includes('login')) {
  process.stdout.write('The key: ')
  createInterface({ input: process.stdin }).once('line', (line) => {
    writeFileSync(kept, line)
    process.exitCode = 0
    process.stdin.destroy()
  })
} else {
  const send = (/** @type {object} */ message) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    const refuse = (/** @type {number} */ code, /** @type {string} */ message) => send({ id, error: { code, message } })
    if (method === 'initialize')
      return send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: methods } })
    if (method === 'authenticate') {
      const key = process.env['YARD_KEY']
      if (!key) return refuse(-32603, 'YARD_KEY is not set')
      if (key === 'wrong') return refuse(-32000, 'The yard does not know this key')
      if (params.methodId === 'key') writeFileSync(kept, key)
      return send({ id, result: {} })
    }
    if (method === 'session/new')
      return existsSync(kept) ? send({ id, result: { sessionId: 's1' } }) : refuse(-32000, 'Sign in first')
    if (method === 'session/prompt') return send({ id, result: { stopReason: 'end_turn' } })
    return id === undefined ? undefined : refuse(-32601, `Method not found: ${method}`)
  })
}
