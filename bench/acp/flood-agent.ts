// An agent that writes all its output at once, so that reading it takes the time.
// Arguments: the file it prints, and the file where it records its start time.
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [transcript = '', stamp = ''] = process.argv.slice(2)
const everything = readFileSync(transcript)

const answers: Readonly<Record<string, () => object>> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId: 'flood' }),
  'session/prompt': () => {
    writeFileSync(stamp, String(process.hrtime.bigint()))
    print(everything)
    return { stopReason: 'end_turn' }
  },
}

function print(bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at)
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { id?: unknown; method?: string }
  const answer = method === undefined ? undefined : answers[method]
  if (answer) print(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer() })}\n`))
})
