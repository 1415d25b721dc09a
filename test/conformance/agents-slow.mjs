// An agent that takes long to start: `node agents-slow.mjs LOG print|compute|wait SECONDS`. LOG gets a `+` when it is asked
// for its first answer, and a `-` when it ends after that.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , log = '', how, seconds] = process.argv
createInterface({ input: process.stdin })
  .on('line', (line) => void receive(JSON.parse(line)))
  .on('close', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))

async function becomeReady() {
  appendFileSync(log, '+')
  process.on('exit', () => appendFileSync(log, '-'))
  const ready = Date.now() + Number(seconds) * 1000
  while (Date.now() < ready) {
    if (how === 'print') process.stderr.write('loading\n')
    const busyUntil = how === 'compute' ? Date.now() + 200 : 0
    while (Date.now() < busyUntil);
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** @param {{ id?: number | string, method?: string }} message */
async function receive({ id, method }) {
  if (method === 'initialize') await becomeReady()
  const result = method === 'initialize' ? { protocolVersion: 1, agentCapabilities: {} } : { sessionId: 'one' }
  if (method === 'initialize' || method === 'session/new')
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
