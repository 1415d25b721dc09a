// An agent that uses the MCP server it is given: `node agents-own-tools.mjs LOG NAME CAPABILITIES` writes what it hears to LOG.
// Prompts it knows, after the name of who wrote it, if any, or from another agent:
//   ask JSON     sends these messages, a request for a permission last, and says what was answered
//   tool JSON    calls { name, arguments } of the server called signalbox, and says what came back
//   wait         answers when it is cancelled
//   beat         sends a heartbeat of the seed's own stream methods, then waits
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [, , log = '', name, capabilities = '{}'] = process.argv

/** @typedef {string | number} Id */

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
/** @param {Id} id @param {string} stopReason */
const answer = (id, stopReason) => send({ id, result: { stopReason } })
/** @param {unknown} what */
const say = (what) => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: JSON.stringify(what) } }
  send({ method: 'session/update', params: { sessionId: 'one', update } })
}

/** @type {Map<Id, (answer: object) => void>} */
const asked = new Map()
/** @type {Id | null} */
let waiting = null
/** @typedef {{ name: string, value: string }} Pair */
/** @typedef {{ name: string, url?: string, headers?: Pair[], command?: string, args?: string[], env?: Pair[] }} Server */
/** @type {Server | undefined} */
let ours

/** @param {{ method: string, params: Record<string, unknown> }[]} messages */
async function ask(messages) {
  for (const { method, params } of messages) {
    const message = { method, params: { ...params, sessionId: 'one' } }
    if (method !== 'session/request_permission') send(message)
    else {
      const id = `ask-${asked.size}`
      const outcome = new Promise((resolve) => asked.set(id, resolve))
      send({ ...message, id })
      say(await outcome)
    }
  }
}

/** @param {Server} server */
function wayTo({ url, headers, command, args = [], env }) {
  const pairs = (/** @type {Pair[]} */ list = []) => Object.fromEntries(list.map(({ name, value }) => [name, value]))
  if (url === undefined) return new StdioClientTransport({ command: String(command), args, env: pairs(env) })
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: pairs(headers) } })
}

/** @param {{ name: string, arguments: Record<string, unknown> }} call */
async function tool(call) {
  if (!ours) return say('no server')
  const client = new Client({ name: 'agents-own-tools', version: '1' })
  await client.connect(wayTo(ours))
  const { structuredContent } = await client.callTool(call, { timeout: 60_000, onprogress() {} })
  await client.close()
  say(structuredContent)
}

/** @param {Id} id @param {string} text */
async function prompt(id, text) {
  const told = text.replace(/^Message from the agent .*:\n/, '').replace(/\n\n\[Reply with .*\]$/, '')
  const [, what = '', more = '{}'] = /^(?:\w+: )?(\w+)(?: (.*))?$/s.exec(told) ?? []
  if (what === 'beat') send({ method: 'heartbeat', params: {} })
  if (what === 'wait' || what === 'beat') waiting = id
  else {
    const run = what === 'ask' ? ask : what === 'tool' ? tool : null
    if (run) await run(JSON.parse(more)).catch((error) => say(String(error)))
    answer(id, 'end_turn')
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    appendFileSync(log, `${line}\n`)
    const { id, method, params, result, error } = JSON.parse(line)
    if (method === undefined) asked.get(id)?.(result ?? { error })
    if (method === 'initialize') {
      const agentCapabilities = JSON.parse(capabilities)
      send({ id, result: { protocolVersion: 1, agentInfo: { name, version: '1' }, agentCapabilities } })
    }
    if (/^session\/(new|load|resume|fork)$/.test(method)) {
      ours = params.mcpServers.find((/** @type {{ name: string }} */ server) => server.name === 'signalbox')
      send({ id, result: { sessionId: 'one' } })
    }
    if (method === 'session/prompt') void prompt(id, params.prompt[0].text)
    if (method === 'session/cancel' && waiting !== null) {
      answer(waiting, 'cancelled')
      waiting = null
    }
  })
  .on('close', () => process.exit(0))
