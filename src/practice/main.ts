// The practice agent as a process: ACP on stdin and stdout. `--fast` skips the pauses between words.
import { existsSync, readFileSync } from 'node:fs'
import { ndJsonStream } from '@agentclientprotocol/sdk/unstable'
import { endOnceSaid, endProcess } from '../lib/end-process.ts'
import { practiceAgent } from './agent.ts'
import { historyDirectory } from './history.ts'
import { tapDialect } from './dialect-wire.ts'
import { isRecord, jsonOrNull } from '../lib/parse-json.ts'

const output = new WritableStream<Uint8Array>({
  write: (chunk) =>
    process.stdout.write(chunk)
      ? undefined
      : new Promise<void>((resolve) => process.stdout.once('drain', () => resolve())),
})
const input = new ReadableStream<Uint8Array>({
  start(controller) {
    process.stdin.on('data', (chunk: Buffer) => controller.enqueue(chunk))
    process.stdin.on('end', () => controller.close())
    process.stdin.on('error', (error) => controller.error(error))
  },
})
// The client is gone.
process.stdout.on('error', () => endProcess(1))
// The `exit` listeners end the children too.
for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)
  process.on(signal, () => endProcess(128 + number))

const { stream, seed } = tapDialect(ndJsonStream(output, input), (line) => process.stdout.write(line))
const connection = practiceAgent({
  version: version(),
  directory: historyDirectory(),
  speed: process.argv.includes('--fast') ? 'fast' : 'normal',
  seed,
}).connect(stream)
await connection.closed
await endOnceSaid(0)

/** The bundle is one directory below package.json, the source two. */
function version(): string {
  const file = ['../package.json', '../../package.json'].map((path) => new URL(path, import.meta.url)).find(existsSync)
  const found = file ? jsonOrNull(readFileSync(file, 'utf8'), isRecord) : null
  const version = found?.['version']
  return typeof version === 'string' ? version : 'unknown'
}
