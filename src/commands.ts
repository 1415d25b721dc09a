import type { Config } from './config/schema.ts'
import { readWords } from './domain/policy/command-words.ts'
import type { Commands } from './edges/http/handlers/commands.ts'
import { runCommand, type Runnable } from './edges/workspace/run-command.ts'
import { belongingsOf, lookAround } from './keeper/belongings.ts'
import { childVariable } from './keeper/place.ts'
import { signal } from './keeper/processes.ts'
import type { DirectoryMark } from './lib/directory-mark.ts'
import { newRandomId } from './lib/id.ts'
import type { SessionId } from './domain/session/schema.ts'
import { fail, notFound, ok, type Result } from './lib/result.ts'

/** Behind the border of a session, for one command; null if the session has none. */
export type ConfineOnce = (id: SessionId, argv: readonly [string, ...string[]]) => Promise<Result<ConfinedOnce | null>>
export type ConfinedOnce = {
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  /** Once it has ended. */
  done(): Promise<void>
}

/** The registry of `[commands]`: only what stands there is run remotely (R21). */
export function createCommands(
  configured: Config['commands'],
  /** Told of a workspace that is not the directory it was. */
  refused: (path: string) => Promise<void>,
  confine: ConfineOnce,
): Commands {
  const entries = Object.entries(configured)
  return {
    list: () => entries.map(([alias, { command, shell }]) => ({ alias, command, shell })),
    async run(alias, { sessionId, cwd, mark }) {
      const entry = entries.find(([name]) => name === alias)?.[1]
      if (!entry) return notFound('command', alias)
      const runnable = entry.shell ? { script: entry.command } : argvOf(entry.command)
      if (!entry.shell && isPattern(entry.command)) return fail(onlyForPolicies(alias))
      if (!runnable) return fail(needsShell(alias))
      // What it runs may lie in the workspace, where an agent wrote it.
      const border = entry.confined ? await confine(sessionId, wordsOf(runnable)) : ok(null)
      if (!border.ok) return border
      try {
        const ran = await runMarked(border.value ?? runnable, cwd, mark, border.value?.env ?? withoutOurs(process.env))
        if (!ran.ok && ran.fault.code === 'path_violation') await refused(cwd)
        return ran.ok ? ok({ ...ran.value, isolation: border.value === null ? 'none' : 'sandbox' }) : ran
      } finally {
        await border.value?.done()
      }
    },
  }
}

/** What it starts carries a mark, by which it is found when all of it has to end. */
function runMarked(
  runnable: Runnable,
  cwd: string,
  directory: DirectoryMark | null,
  env: Readonly<Record<string, string | undefined>>,
) {
  const mark = `run-${newRandomId<string>()}`
  return runCommand(runnable, cwd, {
    mark: directory,
    env: { ...env, [childVariable]: mark },
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

function wordsOf(runnable: Runnable): readonly [string, ...string[]] {
  if ('script' in runnable) return ['/bin/sh', '-c', runnable.script]
  const [program = '', ...args] = runnable.argv
  return [program, ...args]
}

function argvOf(line: string): Runnable | null {
  const words = readWords(line)
  return words && words.length > 0 ? { argv: words.map(({ text }) => text) } : null
}

const onlyForPolicies = (alias: string) => ({
  kind: 'invalid' as const,
  code: 'command_is_a_pattern',
  message: `${alias} ends in *: it only says what a policy may allow, and can't be run as such.`,
  hint: 'Add an entry without a * for what you want to run.',
})

const needsShell = (alias: string) => ({
  kind: 'invalid' as const,
  code: 'command_needs_shell',
  message: `${alias} contains shell syntax.`,
  hint: `Write it as ${alias} = { command = "…", shell = true } under [commands] in config.toml.`,
})
