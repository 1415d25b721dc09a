// What the keeper starts in place of an agent that runs in a container: it makes the container through the engine's API,
// joins its streams to ours, opens its gate, and ends with its code.
//   runner run                 the spec is in the environment
//   runner exec -- COMMAND …   a command in the container of the same session
import { endOnceSaid } from '../lib/end-process.ts'
import { isRecord, parseJson } from '../lib/parse-json.ts'
import { specVariable, type ExecSpec, type RunnerSpec } from '../lib/container/spec.ts'
import { runCommand } from './exec.ts'
import { runContainer } from './run.ts'

const [mode, ...words] = process.argv.slice(2)
const read = parseJson(process.env[specVariable] ?? '', isRecord)
// Nothing that we start needs it, and it holds keys.
delete process.env[specVariable]

const say = (line: string): void => void process.stderr.write(`${line}\n`)

async function main(): Promise<number> {
  // Written by the server of the same version: anything else is a mistake of the caller.
  if (!read.ok) {
    say('This program is started by Signalbox.')
    return 125
  }
  if (mode === 'exec') return runCommand(read.value as ExecSpec, words.slice(words.indexOf('--') + 1), say)
  return runContainer(read.value as RunnerSpec, say)
}

await endOnceSaid(
  await main().catch((error: unknown) => {
    say(`Signalbox: ${error instanceof Error ? error.message : String(error)}`)
    return 125
  }),
)
