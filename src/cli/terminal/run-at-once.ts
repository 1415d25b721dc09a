import { dataDirectory } from '../../config/data-directory.ts'
import { once } from '../../lib/lazy.ts'
import type { TerminalContext } from '../context.ts'
import { streamOutput } from '../output.ts'
import { setProgramName } from '../program-name.ts'
import { readDetachKeys, usualDetachKeys } from './detach-keys.ts'
import { startProgram } from './start-program.ts'

/**
 * `signalbox run -- PROGRAM` is typed before other programs all day, so it starts without the table of commands and what that
 * needs. False if this is anything else, or has a flag that is not read here: then the whole command line reads it.
 */
export async function runAtOnce(argv: readonly string[]): Promise<boolean> {
  const read = readLine(argv)
  if (read === null) return false
  const { argv: program, name, detach } = read
  setProgramName(process.argv[1], process.env)
  process.stdout.on('error', () => {})
  const { env } = process
  const out = outputWhenUsed(env)
  const context = contextOf(env, out)
  try {
    const detachKeys = readDetachKeys(read.keys ?? usualDetachKeys)
    process.exitCode = await startProgram(context, { argv: program, type: 'script', name }, { detach, detachKeys })
  } catch (error) {
    const { renderError } = await import('../render-error.ts')
    const failed = renderError(error, { json: false, debug: false })
    out.note(failed.text)
    process.exitCode = failed.exit
  }
  return true
}

/** What a program prints passes by it: usually nothing of our own is said. */
function outputWhenUsed(env: NodeJS.ProcessEnv): TerminalContext['out'] {
  const out = once(() => streamOutput(process.stdout, process.stderr, env))
  return {
    print: (text) => out().print(text),
    write: (text) => out().write(text),
    note: (text) => out().note(text),
    json: (value) => out().json(value),
    get width() {
      return out().width
    },
    get paint() {
      return out().paint
    },
  }
}

type RunLine = {
  argv: readonly [string, ...string[]]
  name: string | undefined
  keys: string | undefined
  detach: boolean
}

function readLine(words: readonly string[]): RunLine | null {
  const dashes = words.indexOf('--')
  const [first, ...rest] = words.slice(dashes + 1)
  if (words[0] !== 'run' || dashes < 1 || first === undefined) return null
  const given = new Map<string, string>()
  for (let at = 1; at < dashes; at += 1) {
    const [, flag, value] = /^--(name|detach-keys|detach)(?:=(.+))?$/s.exec(words[at] ?? '') ?? []
    if (flag === undefined || (flag === 'detach' && value !== undefined)) return null
    if (flag !== 'detach' && value === undefined) at += 1
    const taken = value ?? (flag === 'detach' ? 'yes' : (words[at] ?? ''))
    if (at >= dashes || taken === '' || (value === undefined && taken.startsWith('--'))) return null
    given.set(flag, taken)
  }
  return {
    argv: [first, ...rest],
    name: given.get('name'),
    keys: given.get('detach-keys'),
    detach: given.has('detach'),
  }
}

function contextOf(env: NodeJS.ProcessEnv, out: TerminalContext['out']): TerminalContext {
  const dataDir = dataDirectory(env)
  const url = env['SIGNALBOX_URL'] || undefined
  const token = env['SIGNALBOX_TOKEN'] || undefined
  const ipcName: TerminalContext['ipcName'] = async () =>
    (await import('../read-config.ts')).readIpcName({ env, dataDir, configFile: undefined }, out)
  const api: TerminalContext['api'] = async () =>
    (await import('../connect.ts')).connect({ url, token, dataDir, ipcName })
  return { json: false, env, out, dataDir, configFile: undefined, url, token, ipcName, api }
}
