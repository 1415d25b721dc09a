import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, sep } from 'node:path'
import type { TerminalStart } from '../../../app/terminals.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'

/** What will be started. */
export type StartPlan =
  | { kind: 'program'; argv: readonly [string, ...string[]]; cwd: string }
  | { kind: 'file'; path: string; size: number }

const invalid = (code: string, message: string, hint: string) => fail({ kind: 'invalid', code, message, hint })

/** A typescript is followed like a log, but has the type of the program that wrote it. */
export const followsLog = ({ sessionType, logFile, command }: TerminalStart): boolean =>
  sessionType === 'file' || (logFile !== null && command === null)

/** `roots`: where an agent may look; null for people. */
export function planOf(
  input: TerminalStart,
  defaultCwd: string | null,
  roots: readonly string[] | null,
  dataDir: string,
): Result<StartPlan> {
  if (followsLog(input))
    return within(realOf(input.logFile ?? ''), [realOf(dataDir)])
      ? ownData(input.logFile ?? '')
      : planFile(input, roots)
  const argv = input.sessionType === 'ssh' ? sshCommand(input) : commandOf(input)
  if (!argv.ok) return argv
  const cwd = input.cwd ?? defaultCwd ?? homedir()
  if (!isAbsolute(cwd)) return invalid('cwd_not_absolute', `${cwd} is not an absolute path.`, 'Begin it with /.')
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return invalid('cwd_not_found', `Directory ${cwd} not found.`, "Give a directory on the server's machine.")
  if (roots !== null && !within(realpathSync(cwd), roots)) return notPermitted(cwd)
  return ok({ kind: 'program', argv: argv.value, cwd })
}

/** A fault if options contradict each other: otherwise one would be ignored silently. */
export function misfitOf({ sessionType, logFile, command, host }: TerminalStart): Failed | null {
  const runs = command !== null ? 'command' : host !== null || sessionType === 'ssh' ? 'host' : null
  if (runs === null || (logFile === null && sessionType !== 'file')) return null
  const message = `logFile can't be combined with ${runs}: a terminal follows a log or runs a program.`
  return invalid('invalid_input', message, 'file takes logFile; script takes command or logFile; ssh takes host.')
}

/** Where a log is, with links resolved. Whether it exists is not revealed. */
export function followedFrom(
  logFile: string,
  workspace: string | null,
  watchRoots: readonly string[],
): 'watched' | 'workspace' | 'elsewhere' {
  const real = realOf(logFile)
  if (within(real, watchRoots)) return 'watched'
  return workspace !== null && within(real, [workspace]) ? 'workspace' : 'elsewhere'
}

function commandOf({ command }: TerminalStart): Result<readonly [string, ...string[]]> {
  const [program, ...args] = command ?? []
  if (program === undefined || program === '')
    return invalid('command_required', 'A terminal of type script needs a command.', 'Give it as a list of arguments.')
  return ok([program, ...args])
}

function sshCommand({ host, user, command }: TerminalStart): Result<readonly [string, ...string[]]> {
  if (host === null || host === '')
    return invalid('host_required', 'A terminal of type ssh needs a host.', 'Give a host name that ssh knows.')
  // ssh would read it as an option, which could run any program here.
  if (/^-|[\s\0]/.test(host) || (user !== null && /^-|[\s\0@]/.test(user)))
    return invalid(
      'invalid_host',
      "A host or user can't start with - or contain spaces, and a user can't contain @.",
      'Give only the name; options and ports belong in the ssh configuration.',
    )
  return ok(['ssh', '-t', '--', user === null ? host : `${user}@${host}`, ...(command ?? [])])
}

function planFile({ logFile, filePosition }: TerminalStart, roots: readonly string[] | null): Result<StartPlan> {
  if (logFile === null)
    return invalid('log_file_required', 'A terminal of type file needs a log.', 'Give its absolute path as logFile.')
  if (!isAbsolute(logFile))
    return invalid('log_file_not_absolute', `${logFile} is not an absolute path.`, 'Begin it with /.')
  // Without access, nothing about the path is revealed.
  if (roots !== null && !within(realOf(logFile), roots)) return notPermitted(logFile)
  const stat = statSync(logFile, { throwIfNoEntry: false })
  if (!stat) return fail(noFile(logFile))
  if (!stat.isFile()) return fail(notPlain(logFile))
  try {
    accessSync(logFile, constants.R_OK)
  } catch {
    return fail({
      kind: 'forbidden',
      code: 'file_not_readable',
      message: `${logFile} can't be read by this server.`,
      hint: 'Check its permissions.',
    })
  }
  if (filePosition !== null && filePosition > stat.size)
    return invalid(
      'invalid_position',
      `${logFile} has ${stat.size} bytes; offset ${filePosition} is past the end.`,
      'Leave the position out to begin at its end.',
    )
  return ok({ kind: 'file', path: logFile, size: stat.size })
}

/** With links resolved, as far as the path exists. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : `${realOf(parent)}${sep}${path.slice(parent.length).replace(/^\/+/, '')}`
  }
}

export const within = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))

const noFile = (path: string) => ({
  kind: 'not_found' as const,
  code: 'file_not_found',
  message: `File ${path} not found.`,
  hint: "Give a file on the server's machine. If it does not exist yet, create it with touch.",
})

const notPlain = (path: string) => ({
  kind: 'forbidden' as const,
  code: 'file_not_readable',
  message: `${path} is not a plain file.`,
  hint: "Give the log itself: a directory, a pipe or a device can't be followed.",
})

const ownData = (path: string) =>
  fail({
    kind: 'forbidden',
    code: 'not_permitted',
    message: `${path} belongs to Signalbox's own data and can't be followed.`,
  })

const notPermitted = (path: string) =>
  fail({
    kind: 'forbidden',
    code: 'not_permitted',
    message: `${path} is neither in the workspace nor in terminal.watch_roots.`,
    hint: 'Ask a person to add its directory to terminal.watch_roots.',
  })
