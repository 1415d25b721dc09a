import { resolve } from 'node:path'
import * as z from 'zod'
import type { TerminalStart } from '../../../../app/terminals.ts'
import type { Ask } from '../../../../domain/ask/schema.ts'
import { SessionId } from '../../../../domain/session/id.ts'
import { TerminalType } from '../../../../domain/terminal/schema.ts'
import type { Actor } from '../../../../domain/user/actor.ts'
import { fail, ok, type Failed, type Result } from '../../../../lib/result.ts'
import { chosenId, jsonIn, withJson } from './parts.ts'

/** A terminal an agent wants, as it stands in the ask about it: what is started is what was approved. */
export const Wanted = z.strictObject({
  session_type: TerminalType,
  log_file: z.string().nullable(),
  command: z.array(z.string()).nullable(),
  cwd: z.string().nullable(),
  host: z.string().nullable(),
  user: z.string().nullable(),
  session_id: SessionId.nullable(),
  parent_session_id: SessionId.nullable(),
  metadata: z.record(z.string(), z.string()),
})
export type Wanted = z.infer<typeof Wanted>

export type Given = {
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

/** Which inputs belong to which kind of terminal. */
export function wantedOf(given: Given, workspaceRoot: string): Result<Wanted> {
  const refused = misfit(given)
  if (refused) return refused
  const id = given.session_id === undefined ? ok(null) : chosenId(given.session_id, 'session_id')
  if (!id.ok) return id
  const { parent_session_id: above } = given
  const parent = above === undefined ? ok(null) : chosenId(above, 'parent_session_id')
  if (!parent.ok) return parent
  const runs = given.session_type === 'script' && given.command !== undefined
  return ok({
    session_type: given.session_type,
    log_file: given.log_file ?? null,
    command: given.command ?? null,
    cwd: runs ? resolve(workspaceRoot, given.cwd ?? '.') : null,
    host: given.host ?? null,
    user: given.user ?? null,
    session_id: id.value,
    parent_session_id: parent.value,
    metadata: given.metadata ?? {},
  })
}

function misfit(given: Given): Failed | null {
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

/** What would be run, or null where nothing is. */
export function commandOf({ session_type, command, host, user }: Wanted): readonly string[] | null {
  if (session_type === 'ssh') return ['ssh', '-t', '--', user === null ? (host ?? '') : `${user}@${host ?? ''}`]
  return command
}

export const lineOf = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./:@,+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ')

const heading = 'Runs in a terminal that Signalbox watches.'

export const described = (wanted: Wanted): string => withJson(heading, wanted)

/** What an ask of ours was about; null for any other. */
export function wantedIn({ subject, description }: Ask): Wanted | null {
  const read = Wanted.safeParse(jsonIn(heading, description))
  const words = read.success ? commandOf(read.data) : null
  const same = subject.kind === 'command' && words !== null && lineOf(words) === subject.command
  return read.success && same && (read.data.cwd === null || read.data.cwd === subject.cwd) ? read.data : null
}

export const startOf = (wanted: Wanted, sessionId: SessionId, actor: Actor): TerminalStart => ({
  sessionId,
  sessionType: wanted.session_type,
  logFile: wanted.log_file,
  typescript: wanted.session_type === 'script' && wanted.log_file !== null,
  filePosition: null,
  command: wanted.command,
  cwd: wanted.cwd,
  host: wanted.host,
  user: wanted.user,
  name: null,
  parentSessionId: wanted.parent_session_id,
  metadata: wanted.metadata,
  cols: 80,
  rows: 24,
  actor,
})
