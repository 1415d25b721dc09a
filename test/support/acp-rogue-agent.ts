// An agent that follows the letter of the protocol and breaks its spirit: `node acp-rogue-agent.ts KIND`.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

type Message = { id?: string | number | null; method?: string; params?: Record<string, unknown> }

const [kind = '', argument = ''] = process.argv.slice(2)
const sessionId = 'rogue'

/** Synchronous and complete: what is written before an exit is sent. */
function put(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
const send = (message: object): void => put(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (fields: object): void => send({ method: 'session/update', params: { sessionId, update: fields } })
const say = (text: string): void => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
const turns: Record<string, (id: string | number) => Promise<boolean | void>> = {
  /** Answers and exits, before anyone can have read the answer. */
  async answerexit(id) {
    say('all of it')
    send({ id, result: { stopReason: 'end_turn' } })
    process.exit(Number(argument || 0))
  },
  /** Calls that can't be answered by their id. */
  async oddcalls() {
    say('before ')
    send({ id: null, method: 'nobody/knows', params: {} })
    send({ id: 1, method: 5 })
    send({ id: {}, method: 'nobody/knows' })
    send({ id: 'twice', method: 'nobody/knows' })
    send({ id: 'twice', method: 'nobody/knows' })
    send({ id: 9 })
    send({ id: 2, method: 'session/request_permission' })
    send({ id: 3, method: 'session/request_permission', params: { sessionId, toolCall: null, options: 'all' } })
    send({ id: 4, method: 'fs/read_text_file', params: { sessionId, path: 7 } })
    send({ method: 'session/request_permission', params: {} })
    send({ method: '$/cancel_request', params: { requestId: 'never' } })
    say('after')
  },
  /** Characters that databases reject. */
  async oddletters() {
    say('zero \u0000 lone \ud800 ')
    update({
      sessionUpdate: 'tool_call',
      toolCallId: 'odd \u0000',
      title: 'zero \u0000',
      rawInput: { '\u0000': '\ud800' },
    })
    say('after')
  },
  /** Sends many unknown requests and reads no answer. */
  async requestflood() {
    process.stdin.pause()
    const filler = 'x'.repeat(1000)
    for (let n = 1; n <= Number(argument || 100_000); n += 1) send({ id: `${filler}${n}`, method: 'nobody/knows' })
    say('after')
  },
  /** A prompt is answered twice, and again later. */
  async twice(id) {
    say('once')
    send({ id, result: { stopReason: 'end_turn' } })
    send({ id, result: { stopReason: 'refusal' } })
    send({ id, error: { code: -32603, message: 'after all' } })
    return true
  },
  /** A call just below the longest allowed line. */
  async bigtool() {
    const size = Number(argument || 30) * 1024 * 1024
    update({ sessionUpdate: 'tool_call', toolCallId: 'big', title: 'big', rawInput: { text: 'x'.repeat(size) } })
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'big', status: 'completed' })
    say('after')
  },
}

async function receive({ id, method }: Message): Promise<void> {
  if (id === undefined || id === null || method === undefined) return
  if (method === 'initialize') return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  if (method === 'session/new') return send({ id, result: { sessionId } })
  if (method !== 'session/prompt') return send({ id, error: { code: -32601, message: 'Method not found' } })
  const answered = await turns[kind]?.(id)
  if (answered !== true) send({ id, result: { stopReason: 'end_turn' } })
}

createInterface({ input: process.stdin }).on('line', (line) => void receive(JSON.parse(line)))
process.stdin.on('end', () => process.exit(0))
