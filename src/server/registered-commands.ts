import type { Config } from '../config/schema.ts'
import { readWords } from '../domain/policy/command-words.ts'
import type { Commands } from '../edges/http/handlers/commands.ts'
import { runCommand, type Runnable } from '../edges/workspace/run-command.ts'
import { childVariable, signal } from '../lib/process-list.ts'
import { listProcessesShared, processTreeOf } from '../lib/process-tree.ts'
import type { DirectoryMark } from '../lib/directory-mark.ts'
import { newRandomId } from '../lib/id.ts'
import type { SessionId } from '../domain/session/schema.ts'
import { fail, notFound, ok, type Result } from '../lib/result.ts'

/** One command in the sandbox of a session; null if the session has none. */
export type ConfineOnce = (id: SessionId, argv: readonly [string, ...string[]]) => Promise<Result<ConfinedOnce | null>>
export type ConfinedOnce = {
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  isolation: 'sandbox' | 'container'
  /** Called when the command has ended. */
  done(): Promise<void>
}

/** The registry of `[commands]`: only commands that it lists are run remotely (R21). */
export function createRegisteredCommands(
  configured: Config['commands'],
  /** Reports a workspace that is no longer the same directory. */
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
      // It may run files of the workspace, which an agent wrote.
      const border = entry.confined ? await confine(sessionId, wordsOf(runnable)) : ok(null)
      if (!border.ok) return border
      try {
        const ran = await runMarked(border.value ?? runnable, cwd, mark, border.value?.env ?? withoutOurs(process.env))
        if (!ran.ok && ran.fault.code === 'path_violation') await refused(cwd)
        return ran.ok ? ok({ ...ran.value, isolation: border.value?.isolation ?? 'none' }) : ran
      } finally {
        await border.value?.done()
      }
    },
  }
}

/** Its processes carry a mark, so that all of them are found when it has to end. */
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
      for (const belonging of processTreeOf(root, await listProcessesShared(), process.pid))
        signal(belonging.pid, 'SIGKILL')
    },
  })
}

/** A script of a schedule, with the limits of a registered command. */
export const runScript = (
  runnable: Runnable,
  cwd: string,
  env: Readonly<Record<string, string>> | undefined,
): ReturnType<typeof runCommand> => runMarked(runnable, cwd, null, env ?? withoutOurs(process.env))

/** Our own settings hold secrets, which must not reach the output of a command. */
const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SIGNALBOX_')))

/** Ends in a *: the caller may add words (R19). */
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
  message: `${alias} ends in *: it is a pattern for policies, not a command to run.`,
  hint: 'Add an entry without a * for the command you want to run.',
})

const needsShell = (alias: string) => ({
  kind: 'invalid' as const,
  code: 'command_needs_shell',
  message: `${alias} contains shell syntax.`,
  hint: `Write it as ${alias} = { command = "…", shell = true } under [commands] in config.toml.`,
})
