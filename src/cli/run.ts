import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory } from '../config/data-directory.ts'
import type { LoadedConfig } from '../config/index.ts'
import { endProcess } from '../lib/end-process.ts'
import { setProgramName } from './program-name.ts'
import type { CommonFlags } from './command.ts'
import type { Context, HeavyParts } from './context.ts'
import { completeCommand } from './completion/scripts.ts'
import { exit } from './failure.ts'
import { renderHelp } from './help.ts'
import { createInterrupts, terminalKeyboard, type Keyboard } from './keyboard.ts'
import { streamOutput, type Output } from './output.ts'
import { parseCommandLine, refuseUnknownHelp } from './parse.ts'
import { renderError } from './render-error.ts'
import { rootCommand } from './table.ts'

const usualIpcName = 'signalbox'

type CliEnvironment = {
  readonly parts: HeavyParts
  readonly out: Output
  readonly env: NodeJS.ProcessEnv
  now(): number
  interrupted(): AbortSignal
  interrupts?(listener: () => void): Disposable
  readonly keyboard?: Keyboard | null
}

/** Parses and runs a command line, and reports failures. Resolves with the exit code. */
export async function execute(argv: readonly string[], world: CliEnvironment): Promise<number> {
  try {
    if (argv[0] === 'help') {
      refuseUnknownHelp(argv.slice(1), rootCommand)
      return await execute([...argv.slice(1), '--help'], world)
    }
    if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) return await execute(['version'], world)
    if (argv[0] === completeCommand) {
      const { answerShell } = await import('./completion/answer-shell.ts')
      await answerShell(argv.slice(2), createContext(noFlags, world))
      return exit.ok
    }
    const { path, command, common, invocation } = parseCommandLine(argv, rootCommand)
    if (common.help || !command.run) {
      world.out.print(renderHelp(command, path, world.out.paint))
      return exit.ok
    }
    return (await command.run(invocation, createContext(common, world))) ?? exit.ok
  } catch (error) {
    if (world.interrupted().aborted) return exit.interrupted
    const failed = renderError(error, { json: argv.includes('--json'), debug: argv.includes('--debug') })
    world.out.note(failed.text)
    return failed.exit
  }
}

const noFlags: CommonFlags = {
  json: false,
  config: undefined,
  home: undefined,
  url: undefined,
  token: undefined,
  debug: false,
  help: false,
}

function createContext(common: CommonFlags, world: CliEnvironment): Context {
  const env = common.home === undefined ? world.env : { ...world.env, SIGNALBOX_HOME: common.home }
  const dataDir = dataDirectory(env)
  const url = common.url ?? (env['SIGNALBOX_URL'] || undefined)
  const token = common.token ?? (env['SIGNALBOX_TOKEN'] || undefined)
  const config = once(async (): Promise<LoadedConfig> => {
    const { readConfig } = await import('./read-config.ts')
    return readConfig({ env, dataDir, configFile: common.config })
  })
  const ipcName = once(async () => {
    // Reading the configuration takes longer than most requests.
    const named = common.config ?? (env['SIGNALBOX_CONFIG'] || env['SIGNALBOX_IPC_NAME'])
    if (!named && !existsSync(join(dataDir, 'config.toml'))) return usualIpcName
    const { readIpcName } = await import('./read-config.ts')
    return readIpcName({ env, dataDir, configFile: common.config }, common.json ? null : world.out)
  })
  const api = once(async () => (await import('./connect.ts')).connect({ url, token, dataDir, ipcName }))
  const { interrupts = () => ({ [Symbol.dispose]() {} }), keyboard = null } = world
  const given = { json: common.json, env, dataDir, configFile: common.config, url, token }
  return { ...world, ...given, interrupts, keyboard, config, ipcName, api }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Runs a command line with the streams, signals and exit code of the process. */
export async function runCommandLine(argv: readonly string[], parts: HeavyParts): Promise<void> {
  setProgramName(process.argv[1], process.env)
  // `signalbox events | head` closes the pipe first: not an error.
  const quietly = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') endProcess(exit.ok)
    throw error
  }
  process.stdout.on('error', quietly)
  process.stderr.on('error', quietly)
  const interruption = new AbortController()
  let listening = false
  const interrupted = () => {
    if (!listening) process.once('SIGINT', () => interruption.abort())
    listening = true
    return interruption.signal
  }
  const out = streamOutput(process.stdout, process.stderr, process.env)
  const { press, on: interrupts } = createInterrupts()
  const { stdin, stdout, env } = process
  const keyboard = stdin.isTTY && stdout.isTTY ? terminalKeyboard(stdin, stdout, press) : null
  process.exitCode = await execute(argv, { parts, out, env, now: Date.now, interrupted, interrupts, keyboard })
}
