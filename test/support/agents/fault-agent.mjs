// An agent that speaks just enough ACP and then misbehaves: `node fault-agent.mjs KIND [N]`. No dependencies.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, writeSync } from 'node:fs'

const [kind = '', argument] = process.argv.slice(2)
const sessionId = randomUUID()
const mebibyte = 1024 * 1024
let isCancelled = false

/** @typedef {{ id?: string | number | null, method?: string, params?: Record<string, unknown> }} Message */

/** Waits for the pipe where it is full: a fault must not turn into memory of our own. @param {string | Uint8Array} bytes */
async function put(bytes) {
  if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve))
}

/** @param {object} message */
const send = (message) => put(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** @param {object} update */
const update = (update) => send({ method: 'session/update', params: { sessionId, update } })

/** @param {string} text */
const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

const rest = () => new Promise((resolve) => setImmediate(resolve))
/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const forever = () => new Promise(() => setInterval(() => {}, 60_000))

/** What each kind does with a prompt; where it comes back, the turn ends as it should. @type {Record<string, () => Promise<unknown>>} */
const turns = {
  async garbage() {
    await say('before ')
    await put('this is not JSON\n')
    await put('{"jsonrpc":"2.0","method":\n')
    await put(Uint8Array.from([0, 1, 2, 0xff, 0xfe, 0xc3, 0x28, 10]))
    await put('[1,2,3]\n42\nnull\n"words"\n{}\n\n\r\n')
    const whole = JSON.stringify({
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'höálf and half ' } },
      },
    })
    // Cut in the middle of a character.
    const bytes = Buffer.from(`${whole}\n`)
    const middle = bytes.indexOf(Buffer.from('ö')) + 1
    await put(bytes.subarray(0, middle))
    await pause(50)
    await put(bytes.subarray(middle))
    await say('after')
  },
  async longline() {
    await say('before ')
    const size = Number(argument ?? 100) * mebibyte
    const piece = 'x'.repeat(mebibyte / 16)
    const [head = '', tail = ''] = JSON.stringify({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '@' } } },
    }).split('@')
    await put(head)
    for (let written = 0; written < size; written += piece.length) await put(piece)
    await put(`${tail}\n`)
    await say('after')
  },
  async flood() {
    const last = Number(argument ?? 100_000)
    for (let n = 1; n <= last; n += 1) {
      await say(`${n} `)
      if (isCancelled) return
      if (n % 500 === 0) await rest()
    }
  },
  async closestdout() {
    await say('before')
    closeSync(1)
    await forever()
  },
  async blockstdin() {
    await say('before')
    await forever()
  },
  /** Speaks the stream methods, then hears nothing more. */
  async deaf() {
    await send({ method: 'heartbeat', params: {} })
    process.stdin.destroy()
    closeSync(0)
    await say('deaf now')
    await forever()
  },
  async beats() {
    const last = Number(argument ?? 100_000)
    for (let n = 1; n <= last; n += 1) {
      await send({ method: 'heartbeat', params: { progress: [{ label: `${n}`, status: 'done' }] } })
      if (n % 500 === 0) await rest()
    }
    await say('beaten')
  },
  async exitonask() {
    await permission()
    await drained()
    process.exit(3)
  },
  async ignorecancel() {
    for (let n = 1; ; n += 1) {
      await say(`${n} `)
      await pause(20)
    }
  },
  async escape() {
    // One in a session of its own; one whose parent is gone as well.
    const escaped = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
    escaped.unref()
    const daemon = spawn('sh', ['-c', 'setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo $!'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const pid = await new Promise((resolve) => daemon.stdout.once('data', (chunk) => resolve(String(chunk).trim())))
    await say(`escaped ${escaped.pid} ${pid}`)
  },
  async unknown() {
    await send({ method: 'nobody/knows', params: { a: 1 } })
    await send({ id: 'q-1', method: 'nobody/answers', params: { a: 1 } })
    await send({ id: 7, method: '_vendor/thing' })
    await update({ sessionUpdate: 'from_the_future', content: { type: 'hologram' } })
    await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'hologram' } })
    await update({ sessionUpdate: 'tool_call', toolCallId: 5, title: null })
    await send({
      method: 'session/update',
      params: { sessionId: 'nobody', update: { sessionUpdate: 'plan', entries: [] } },
    })
    await send({ method: 'session/update' })
    await send({ id: 'never-asked', result: {} })
    await send({ id: 4242, error: { code: -1, message: 'never asked' } })
    await send({ id: null, result: null })
    await say('still here')
  },
  async stderrflood() {
    const line = `${'e'.repeat(1023)}\n`
    for (let n = 1; n <= 10; n += 1) {
      for (let lines = 0; lines < 1024; lines += 1) {
        if (!process.stderr.write(line)) await new Promise((resolve) => process.stderr.once('drain', resolve))
      }
      await say(`${n} `)
    }
    process.stderr.write('the last line of stderr\n')
  },
  async nopong() {
    await forever()
  },
}

const authMethods = [{ id: 'login', name: 'Sign in', description: 'Sign in with the vendor' }]

const starts = ['slowstart', 'badinit', 'badnew', 'exitatstart']
if (!(kind in turns) && !starts.includes(kind)) {
  console.error(`There is no fault ${kind}. There are: ${[...Object.keys(turns), ...starts].join(', ')}.`)
  process.exit(2)
}
if (kind === 'exitatstart') {
  writeSync(2, 'fault-agent: the configuration is broken\nfault-agent: giving up\n')
  process.exit(1)
}
if (kind === 'ignorecancel') process.on('SIGTERM', () => {})

/** @param {Message} message */
async function receive({ id, method }) {
  if (method === 'session/cancel' && kind !== 'ignorecancel') isCancelled = true
  if (method === undefined || id === undefined || id === null) return
  if (method === 'initialize') return initialize(id)
  if (method === 'authenticate') return send({ id, result: {} })
  if (method === 'session/new') return newSession(id)
  if (method === 'session/prompt') return prompt(id)
  return send({ id, error: { code: -32601, message: `Method not found: ${method}` } })
}

/** @param {string | number} id */
async function initialize(id) {
  if (kind === 'slowstart') return
  if (kind === 'badinit') return send({ id, error: { code: -32603, message: 'The engine does not start' } })
  const offered = kind === 'badnew' ? authMethods : []
  const agentInfo = { name: `fault-${kind}`, version: '1.0.0' }
  return send({ id, result: { protocolVersion: 1, agentInfo, agentCapabilities: {}, authMethods: offered } })
}

/** @param {string | number} id */
async function newSession(id) {
  if (kind === 'badnew') {
    return send({ id, error: { code: -32000, message: 'Authentication required', data: { authMethods } } })
  }
  // Keeps the pipe open and unread: what is sent from now on fills it.
  if (kind === 'blockstdin') process.stdin.pause()
  await send({ id, result: { sessionId } })
}

/** @param {string | number} id */
async function prompt(id) {
  isCancelled = false
  await turns[kind]?.()
  await send({ id, result: { stopReason: isCancelled ? 'cancelled' : 'end_turn' } })
}

function permission() {
  const toolCall = { toolCallId: 'call-1', title: 'Write a file', kind: 'edit', status: 'pending' }
  const options = [
    { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ]
  return send({ id: 1, method: 'session/request_permission', params: { sessionId, toolCall, options } })
}

const drained = () => new Promise((resolve) => process.stdout.write('', resolve))

let buffered = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  buffered += chunk
  const lines = buffered.split('\n')
  buffered = lines.pop() ?? ''
  for (const line of lines) if (line.trim()) void receive(JSON.parse(line))
})
process.stdin.on('end', () => {
  // An agent that ignores cancel ignores this as well.
  if (kind !== 'ignorecancel') process.exit(0)
})
process.stdout.on('error', () => {})
// Nothing else keeps these alive.
if (kind === 'blockstdin' || kind === 'ignorecancel') void forever()
