// An agent that speaks little ACP: `node agents-plain.mjs [LOG]` writes what it hears to LOG. Prompts it knows:
//   exit CODE [MS]   answers, then exits
//   wait             answers when it is cancelled
//   clearances       asks for two clearances at once, and answers when it has heard of both
import { appendFileSync } from 'node:fs'
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
  else if (text !== 'wait' && text !== 'clearances') answer(id, 'end_turn')
  else waiting = id
  if (text !== 'clearances') return
  for (const own of [7, '7'])
    send({ id: own, method: 'clearance/request', params: { title: `Change ${own}`, file_path: 'a', diff: '+b' } })
}

/** @param {string} stopReason */
function over(stopReason) {
  if (waiting !== null) answer(waiting, stopReason)
  waiting = null
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (log) appendFileSync(log, `${line}\n`)
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
    if (method === 'session/new') send({ id, result: { sessionId: 'one' } })
    if (method === 'session/prompt') prompt(id, params.prompt[0].text)
    if (method === 'session/cancel') over('cancelled')
    if (method === 'clearance/response' && (cleared += 1) === 2) over('end_turn')
  })
  .on('close', () => process.exit(0))
