// An agent that requests this many permissions at once, and ends its turn when all are answered.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const permissions = Number(process.argv[2])
const sessionId = 'permissions'
const send = (message: object) => {
  const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at)
}

let prompt: unknown
let open = 0

const answers: Readonly<Record<string, () => object>> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId }),
}

function askAll(): void {
  open = permissions
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ]
  const lines = Array.from({ length: permissions }, (_, number) => {
    const rawInput = { command: `npm run step-${number}` }
    const toolCall = { toolCallId: `call-${number}`, title: `npm run step-${number}`, kind: 'execute', rawInput }
    return JSON.stringify({
      jsonrpc: '2.0',
      id: number,
      method: 'session/request_permission',
      params: { sessionId, toolCall, options },
    })
  })
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at)
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { id?: unknown; method?: string }
  if (method === 'session/prompt') {
    prompt = id
    askAll()
  } else if (method === undefined) {
    open -= 1
    if (open === 0) send({ id: prompt, result: { stopReason: 'end_turn' } })
  } else if (answers[method]) send({ id, result: answers[method]() })
})
