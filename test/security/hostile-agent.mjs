// An ACP agent that runs the text of each prompt in a shell, asks nobody, and says what was printed.
import { spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** @param {string} script */
function run(script) {
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8', timeout: 20_000 })
  return `${stdout}${stderr}`.trim() || '(nothing)'
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
    if (method === 'session/new') send({ id, result: { sessionId: 'one' } })
    if (method !== 'session/prompt') return
    const content = { type: 'text', text: run(params.prompt[0].text) }
    const update = { sessionUpdate: 'agent_message_chunk', content }
    send({ method: 'session/update', params: { sessionId: 'one', update } })
    send({ id, result: { stopReason: 'end_turn' } })
  })
  .on('close', () => process.exit(0))
