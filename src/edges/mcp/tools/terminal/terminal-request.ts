import { resolve } from 'node:path'
import type * as z from 'zod'
import type { TerminalStart } from '../../../../app/terminals.ts'
import type { Run } from '../../../../domain/ask/run.ts'
import type { SessionId } from '../../../../domain/session/id.ts'
import type { TerminalType } from '../../../../domain/terminal/schema.ts'
import type { Actor } from '../../../../domain/user/actor.ts'
import { fail, ok, type Failed, type Result } from '../../../../lib/result.ts'
import { chosenId } from './common.ts'

/** A requested terminal: a program or a login, which need approval, or a log. */
export type TerminalRequest =
  | Extract<Run, { kind: 'terminal' | 'login' }>
  | {
      kind: 'log'
      type: 'file' | 'script'
      logFile: string
      terminalId: SessionId | null
      parentId: SessionId | null
      metadata: Record<string, string>
    }

export type TerminalInput = {
  session_type: z.infer<typeof TerminalType>
  log_file?: string | undefined
  command?: string[] | undefined
  cwd?: string | undefined
  host?: string | undefined
  user?: string | undefined
  session_id?: string | undefined
  parent_session_id?: string | undefined
  metadata?: Record<string, string> | undefined
}

/** Validates the input for its kind of terminal. */
export function readTerminalRequest(given: TerminalInput, workspaceRoot: string): Result<TerminalRequest> {
  const refused = misfit(given)
  if (refused) return refused
  const id = given.session_id === undefined ? ok(null) : chosenId(given.session_id, 'session_id')
  if (!id.ok) return id
  const { parent_session_id: above } = given
  const parent = above === undefined ? ok(null) : chosenId(above, 'parent_session_id')
  if (!parent.ok) return parent
  const shared = { terminalId: id.value, parentId: parent.value, metadata: given.metadata ?? {} }
  const { session_type: type, host, user = null, command, log_file: logFile } = given
  if (type === 'ssh' && host !== undefined) return ok({ kind: 'login', host, user, cwd: workspaceRoot, ...shared })
  if (type === 'script' && command !== undefined) {
    if (command.some((word) => word.includes('\0')))
      return invalid("An element of command can't contain a NUL character.", hint)
    return ok({ kind: 'terminal', argv: command, cwd: resolve(workspaceRoot, given.cwd ?? '.'), ...shared })
  }
  return ok({ kind: 'log', type: type === 'script' ? 'script' : 'file', logFile: logFile ?? '', ...shared })
}

function misfit(given: TerminalInput): Failed | null {
  const names = (['log_file', 'command', 'cwd', 'host', 'user'] as const).filter((name) => given[name] !== undefined)
  const only = (...allowed: string[]) => names.filter((name) => !allowed.includes(name))
  switch (given.session_type) {
    case 'file':
      return given.log_file === undefined ? lacks('file', 'log_file') : extra('file', only('log_file'))
    case 'ssh':
      return given.host === undefined ? lacks('ssh', 'host') : extra('ssh', only('host', 'user'))
    case 'script':
      if (given.log_file !== undefined) return extra('script with a log_file', only('log_file'))
      return given.command === undefined ? lacks('script', 'command') : extra('script', only('command', 'cwd'))
    default:
      return given.session_type satisfies never
  }
}

const invalid = (message: string, hint: string) => fail({ kind: 'invalid', code: 'invalid_input', message, hint })
const hint = 'file takes log_file; script takes command and cwd, or log_file; ssh takes host and user.'
const lacks = (type: string, name: string) => invalid(`A terminal of the type ${type} needs ${name}.`, hint)
const extra = (type: string, names: readonly string[]): Failed | null =>
  names.length === 0 ? null : invalid(`A terminal of the type ${type} takes no ${names.join(', ')}.`, hint)

/** Starts exactly what was requested. */
export const startOf = (wanted: TerminalRequest, sessionId: SessionId, actor: Actor): TerminalStart => ({
  sessionId,
  sessionType: wanted.kind === 'log' ? wanted.type : wanted.kind === 'login' ? 'ssh' : 'script',
  logFile: wanted.kind === 'log' ? wanted.logFile : null,
  typescript: wanted.kind === 'log' && wanted.type === 'script',
  filePosition: null,
  command: wanted.kind === 'terminal' ? wanted.argv : null,
  cwd: wanted.kind === 'log' ? null : wanted.cwd,
  host: wanted.kind === 'login' ? wanted.host : null,
  user: wanted.kind === 'login' ? wanted.user : null,
  name: null,
  parentSessionId: wanted.parentId,
  metadata: wanted.metadata,
  cols: 80,
  rows: 24,
  actor,
})
