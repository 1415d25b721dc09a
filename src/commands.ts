import type { Config } from './config/schema.ts'
import { readWords } from './domain/policy/words.ts'
import type { Commands } from './edges/http/handlers/commands.ts'
import { runCommand, type Runnable } from './edges/workspace/run-command.ts'
import { belongingsOf, lookAround } from './keeper/belongings.ts'
import { childVariable } from './keeper/place.ts'
import { signal } from './keeper/processes.ts'
import type { DirectoryMark } from './lib/directory-mark.ts'
import { newRandomId } from './lib/id.ts'
import { fail, notFound } from './lib/result.ts'

/** The registry of `[commands]`: only what stands there is run remotely (R21). */
export function createCommands(
  configured: Config['commands'],
  /** Told of a workspace that is not the directory it was. */
  refused: (path: string) => Promise<void>,
): Commands {
  const entries = Object.entries(configured)
  return {
    list: () => entries.map(([alias, { command, shell }]) => ({ alias, command, shell })),
    async run(alias, cwd, mark) {
      const entry = entries.find(([name]) => name === alias)?.[1]
      if (!entry) return notFound('command', alias)
      const runnable = entry.shell ? { script: entry.command } : argvOf(entry.command)
      if (!entry.shell && isPattern(entry.command)) return fail(onlyForPolicies(alias))
      if (!runnable) return fail(needsShell(alias))
      const ran = await runMarked(runnable, cwd, mark)
      if (!ran.ok && ran.fault.code === 'path_violation') await refused(cwd)
      return ran
    },
  }
}

/** What it starts carries a mark, by which it is found when all of it has to end. */
function runMarked(runnable: Runnable, cwd: string, directory: DirectoryMark | null) {
  const mark = `run-${newRandomId<string>()}`
  return runCommand(runnable, cwd, {
    mark: directory,
    env: { ...withoutOurs(process.env), [childVariable]: mark },
    async endAll(pid) {
      const root = { pid, mark, hasExited: true }
      for (const belonging of belongingsOf(root, await lookAround(), process.pid)) signal(belonging.pid, 'SIGKILL')
    },
  })
}

/** Our own settings hold secrets that no command's output should show. */
const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SIGNALBOX_')))

/** Ends in a *: further words are up to whoever asks (R19). */
const isPattern = (line: string): boolean => readWords(line)?.at(-1)?.raw.endsWith('*') === true

function argvOf(line: string): Runnable | null {
  const words = readWords(line)
  return words && words.length > 0 ? { argv: words.map(({ text }) => text) } : null
}

const onlyForPolicies = (alias: string) => ({
  kind: 'invalid' as const,
  code: 'command_is_a_pattern',
  message: `${alias} ends in *: it says what a policy may allow, and can't be run by itself.`,
  hint: 'Add an entry without a * for what you want to run.',
})

const needsShell = (alias: string) => ({
  kind: 'invalid' as const,
  code: 'command_needs_shell',
  message: `${alias} holds what only a shell understands.`,
  hint: `Write it as ${alias} = { command = "…", shell = true } under [commands] in config.toml.`,
})
