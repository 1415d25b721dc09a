// One process that runs many command lines, one after another: the program itself, as it is started, with other arguments,
// another environment and other streams each time. Its entry is reloaded for each; the modules it imports stay.
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

type Line = { id: number; args: string[]; env: Record<string, string>; cwd: string; stdin: string; heldUntil: string }

/** Standard input stays open until this was printed, or until a timeout without output. */
let held = { until: '', release: () => {} }
const longestHeldMs = 10_000

const program = process.env['MATRIX_PROGRAM'] ?? ''
const entry = pathToFileURL(program).href
process.setMaxListeners(0)

const written = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name]
  stream.setMaxListeners(0)
  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    written[name].push(Buffer.from(chunk as Uint8Array))
    if (held.until !== '' && Buffer.concat(written.stdout).includes(held.until)) held.release()
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined
    if (done) process.nextTick(done)
    return true
  }
  stream.write = write
}

process.on('message', (line: Line) => void run(line))

async function run({ id, args, env, cwd, stdin, heldUntil }: Line): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.argv = [process.execPath, program, ...args]
  process.exitCode = undefined
  for (const chunks of Object.values(written)) chunks.length = 0
  const input = new Readable({ read() {} })
  if (stdin !== '') input.push(Buffer.from(stdin))
  const over = () => {
    held = { until: '', release: () => {} }
    clearTimeout(late)
    if (!input.readableEnded) input.push(null)
  }
  const late = setTimeout(over, longestHeldMs)
  held = { until: heldUntil, release: over }
  if (heldUntil === '') over()
  Object.defineProperty(process, 'stdin', { value: input, configurable: true })
  let crash = ''
  try {
    await import(`${entry}?run=${id}`)
  } catch (error) {
    crash = String(error)
  }
  clearTimeout(late)
  const text = (name: keyof typeof written) => Buffer.concat(written[name]).toString('utf8')
  const code = crash === '' ? (process.exitCode ?? 0) : 70
  process.send?.({ id, code, stdout: text('stdout'), stderr: text('stderr') + crash })
}
