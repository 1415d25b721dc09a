// An agent that speaks little ACP: `node agents-plain.mjs [LOG]` writes what it hears to LOG. Prompts it knows:
//   exit CODE [MS]   answers, then exits
//   wait             answers when it is cancelled
//   ignore           never answers
//   deafen           closes its input, and answers
//   clearances       asks for two clearances at once, and answers when it has heard of both
//   calls JSON       makes rounds of calls, [METHOD, PARAMS] each, those of a round at once, and says what was answered
import { appendFileSync, closeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , log] = process.argv

/** @typedef {string | number} Id */

/** @param {object} message @param {() => void} [sent] */
const send = (message, sent) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, sent)

/** @param {Id} id @param {string} stopReason @param {() => void} [sent] */
const answer = (id, stopReason, sent) => send({ id, result: { stopReason } }, sent)

/** @type {Id | null} */
let waiting = null
let cleared = 0

/** @param {Id} id @param {string} text */
function prompt(id, text) {
  const [, code, wait] = /^exit (\d+)(?: (\d+))?/.exec(text) ?? []
  const exit = () => process.exit(Number(code))
  if (code !== undefined) answer(id, 'end_turn', () => (wait === undefined ? exit() : setTimeout(exit, Number(wait))))
  else if (text.startsWith('calls ')) void makeCalls(id, JSON.parse(text.slice(6)))
  else if (text === 'ignore') return
  else if (text === 'deafen') {
    closeSync(0)
    setInterval(() => {}, 1000)
    answer(id, 'end_turn')
  } else if (text !== 'wait' && text !== 'clearances') answer(id, 'end_turn')
  else waiting = id
  if (text !== 'clearances') return
  for (const own of [7, '7'])
    send({ id: own, method: 'clearance/request', params: { title: `Change ${own}`, file_path: 'a', diff: '+b' } })
}

/** @type {Map<Id, (answer: object) => void>} */
const called = new Map()
let calls = 0

/** @param {[string, object]} call */
function makeCall([method, params]) {
  if (method === 'session/update') {
    send({ method, params: { sessionId: 'one', ...params } })
    return Promise.resolve({})
  }
  const id = `call-${(calls += 1)}`
  send({ id, method, params: { sessionId: 'one', ...params } })
  return new Promise((resolve) => called.set(id, resolve))
}

/** @param {Id} id @param {[string, object][][]} rounds */
async function makeCalls(id, rounds) {
  const answers = []
  for (const round of rounds) answers.push(...(await Promise.all(round.map(makeCall))))
  const content = { type: 'text', text: JSON.stringify(answers) }
  const update = { sessionUpdate: 'agent_message_chunk', content }
  send({ method: 'session/update', params: { sessionId: 'one', update } })
  answer(id, 'end_turn')
}

/** @param {string} stopReason */
function over(stopReason) {
  if (waiting !== null) answer(waiting, stopReason)
  waiting = null
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (log) appendFileSync(log, `${line}\n`)
    const { id, method, params, result, error } = JSON.parse(line)
    if (method === undefined) called.get(id)?.(result ?? { error })
    if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
    if (method === 'session/new') send({ id, result: { sessionId: 'one' } })
    if (method === 'session/prompt') prompt(id, params.prompt[0].text)
    if (method === 'session/cancel') over('cancelled')
    if (method === 'clearance/response' && (cleared += 1) === 2) over('end_turn')
  })
  .on('close', () => process.exit(0))
