// An agent that takes what its second argument says: `node prompt-agent.mjs LOG JSON` writes what it hears to LOG. It
// remembers its conversations in LOG.conversations, lists them, and answers "wait" when it is cancelled.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , log = '', takes = '{}'] = process.argv
const kept = `${log}.conversations`

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
/** @param {string} sessionId @param {object} update */
const tell = (sessionId, update) => send({ method: 'session/update', params: { sessionId, update } })

/** @returns {{ sessionId: string, cwd: string, text: string }[]} */
const conversations = () =>
  existsSync(kept)
    ? readFileSync(kept, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : []

const modes = { currentModeId: 'ask', availableModes: ['ask', 'plan', 'write'].map((id) => ({ id, name: id })) }
const configOptions = [
  {
    id: 'pace',
    name: 'Pace',
    type: 'select',
    currentValue: 'slow',
    options: ['slow', 'fast'].map((value) => ({ value, name: value })),
  },
]

/** @type {{ id: string | number } | null} */
let waiting = null
let cwd = ''

createInterface({ input: process.stdin })
  .on('line', (line) => {
    appendFileSync(log, `${line}\n`)
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize')
      send({
        id,
        result: {
          protocolVersion: 1,
          agentCapabilities: {
            loadSession: true,
            sessionCapabilities: { list: {} },
            promptCapabilities: JSON.parse(takes),
          },
        },
      })
    if (method === 'session/new') {
      const sessionId = `conversation-${process.pid}`
      cwd = params.cwd
      send({ id, result: { sessionId, modes, configOptions } })
      tell(sessionId, {
        sessionUpdate: 'available_commands_update',
        availableCommands: [{ name: 'review', description: 'Review the change' }],
      })
    }
    if (method === 'session/list')
      send({
        id,
        result: {
          sessions: conversations()
            .filter((one) => one.cwd === params.cwd)
            .map(({ sessionId, text }) => ({ sessionId, cwd: params.cwd, title: text })),
        },
      })
    if (method === 'session/load') {
      const told = conversations().filter((one) => one.sessionId === params.sessionId)
      for (const { text } of told) {
        tell(params.sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } })
        tell(params.sessionId, {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: `Done: ${text}` },
        })
      }
      if (told.length === 0) send({ id, error: { code: -32602, message: 'no such conversation' } })
      else send({ id, result: { modes, configOptions } })
    }
    if (method === 'session/set_mode') send({ id, result: {} })
    if (method === 'session/set_config_option') send({ id, result: { configOptions } })
    if (method === 'session/prompt') {
      const [{ text }] = params.prompt
      appendFileSync(kept, `${JSON.stringify({ sessionId: params.sessionId, cwd, text })}\n`)
      if (text === 'wait') waiting = { id }
      else {
        tell(params.sessionId, {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: `Done: ${text}` },
        })
        send({ id, result: { stopReason: 'end_turn' } })
      }
    }
    if (method === 'session/cancel' && waiting) {
      send({ id: waiting.id, result: { stopReason: 'cancelled' } })
      waiting = null
    }
  })
  .on('close', () => process.exit(0))
