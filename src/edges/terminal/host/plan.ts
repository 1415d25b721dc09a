import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, sep } from 'node:path'
import type { TerminalStart } from '../../../app/terminals.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'

/** What is to be started, once it is known that it can be. */
export type Plan =
  | { kind: 'program'; argv: readonly [string, ...string[]]; cwd: string }
  | { kind: 'file'; path: string; size: number }

const invalid = (code: string, message: string, hint?: string) => fail({ kind: 'invalid', code, message, hint })

/** A typescript is followed like any log, and is of the type that wrote it. */
export const followsLog = ({ sessionType, logFile, command }: TerminalStart): boolean =>
  sessionType === 'file' || (logFile !== null && command === null)

/** `roots`: where an agent may look; null for people. */
export function planOf(
  input: TerminalStart,
  defaultCwd: string | null,
  roots: readonly string[] | null,
  dataDir: string,
): Result<Plan> {
  if (followsLog(input))
    return within(realOf(input.logFile ?? ''), [realOf(dataDir)])
      ? ownData(input.logFile ?? '')
      : planFile(input, roots)
  const argv = input.sessionType === 'ssh' ? sshCommand(input) : commandOf(input)
  if (!argv.ok) return argv
  const cwd = input.cwd ?? defaultCwd ?? homedir()
  if (!isAbsolute(cwd)) return invalid('cwd_not_absolute', `${cwd} is not an absolute path.`)
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return invalid('cwd_not_found', `There is no directory ${cwd}.`)
  if (roots !== null && !within(realpathSync(cwd), roots)) return notPermitted(cwd)
  return ok({ kind: 'program', argv: argv.value, cwd })
}

function commandOf({ command }: TerminalStart): Result<readonly [string, ...string[]]> {
  const [program, ...args] = command ?? []
  if (program === undefined || program === '')
    return invalid('command_required', 'A terminal of type script needs a command.', 'Give it as a list of words.')
  return ok([program, ...args])
}

function sshCommand({ host, user, command }: TerminalStart): Result<readonly [string, ...string[]]> {
  if (host === null || host === '') return invalid('host_required', 'A terminal of type ssh needs a host.')
  // Read by ssh as an option, it could run any program here.
  if (/^-|[\s\0]/.test(host) || (user !== null && /^-|[\s\0@]/.test(user)))
    return invalid('invalid_host', 'A host or user neither begins with - nor holds white space.')
  return ok(['ssh', '-t', '--', user === null ? host : `${user}@${host}`, ...(command ?? [])])
}

function planFile({ logFile, filePosition }: TerminalStart, roots: readonly string[] | null): Result<Plan> {
  if (logFile === null) return invalid('log_file_required', 'A terminal of type file needs log_file.')
  if (!isAbsolute(logFile))
    return invalid('log_file_not_absolute', `${logFile} is not an absolute path.`, 'Begin it with /.')
  // Whoever may not look there learns nothing of what is there.
  if (roots !== null && !within(realOf(logFile), roots)) return notPermitted(logFile)
  const stat = statSync(logFile, { throwIfNoEntry: false })
  if (!stat) return fail({ kind: 'not_found', code: 'file_not_found', message: `There is no file ${logFile}.` })
  if (!stat.isFile())
    return fail({ kind: 'forbidden', code: 'file_not_readable', message: `${logFile} is not a plain file.` })
  try {
    accessSync(logFile, constants.R_OK)
  } catch {
    return fail({
      kind: 'forbidden',
      code: 'file_not_readable',
      message: `${logFile} can't be read by this server.`,
      hint: 'Look at its permissions.',
    })
  }
  if (filePosition !== null && filePosition > stat.size)
    return invalid('invalid_position', `${logFile} has ${stat.size} bytes; ${filePosition} lies behind them.`)
  return ok({ kind: 'file', path: logFile, size: stat.size })
}

/** With links resolved, as far as there is something. */
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

const ownData = (path: string) =>
  fail({
    kind: 'forbidden',
    code: 'not_permitted',
    message: `${path} is Signalbox's own: what is kept there is not followed.`,
  })

const notPermitted = (path: string) =>
  fail({
    kind: 'forbidden',
    code: 'not_permitted',
    message: `${path} is neither in the workspace nor in terminal.watch_roots.`,
    hint: 'Ask a person to add its directory to terminal.watch_roots.',
  })
