import { resolve } from 'node:path'
import * as z from 'zod'
import type { Terminals, TerminalStart } from '../../../../app/terminals.ts'
import { runSubject, runTitle, type Run } from '../../../../domain/ask/run.ts'
import type { AskId } from '../../../../domain/ask/schema.ts'
import type { SessionId } from '../../../../domain/session/id.ts'
import { TerminalType } from '../../../../domain/terminal/schema.ts'
import { derivedId } from '../../../../lib/derived-id.ts'
import { newRandomId } from '../../../../lib/id.ts'
import { fail, type Result, ok, type Failed } from '../../../../lib/result.ts'
import type { Actor } from '../../../../domain/user/actor.ts'
import type { ToolCall, AskResult } from '../../calls/tool-call.ts'
import { notVouched, requestId } from '../common.ts'
import { reply, tool, type ToolResult } from '../tool.ts'
import { createHeldRuns, runIn, wholeRun, type HeldRuns } from './approved-run.ts'
import { monitor, notAllowed, shownTerminal, chosenId } from './common.ts'

const path = z.string().min(1).max(4096)
const name = z
  .string()
  .max(200)
  .regex(/^[^\s-]\S*$/, 'must have no spaces, and must not start with -')

const input = z.strictObject({
  session_type: TerminalType.optional().describe(
    'Required. script: runs a command, or follows a typescript of script(1). ssh: logs in. file: follows a log.',
  ),
  log_file: path.optional().describe('file, or script without a command: the absolute path of an existing log.'),
  command: z
    .array(z.string().max(100_000))
    .min(1)
    .max(1000)
    .optional()
    .describe('script: the program and its arguments, each separately; no shell reads them.'),
  cwd: path.optional().describe('script: where it runs; your workspace by default.'),
  host: name.optional().describe('ssh: the host to log in to.'),
  user: name.optional().describe('ssh: the user to log in as.'),
  session_id: z.string().max(100).optional().describe('A version 4 UUID that you choose.'),
  parent_session_id: z.string().max(100).optional().describe('The terminal it was started from, for ssh within ssh.'),
  metadata: z
    .record(z.string().min(1).max(200), z.string().max(4096))
    .optional()
    .describe('Your own text, stored with it.'),
  request_id: requestId,
})

const { session_id, session_type, log_file, file_position, start_time, state, metadata } = monitor
const output = z.object({
  session_id: session_id.optional(),
  session_type: session_type.optional(),
  log_file: log_file.optional(),
  file_position: file_position.optional(),
  start_time: start_time.optional(),
  state: state.optional(),
  metadata: metadata.optional(),
  status: z.literal('pending').optional(),
  request_id: z.string().optional(),
})

export const startSessionMonitor = (terminals: Terminals) => {
  const held = createHeldRuns()
  return tool({
    name: 'start_session_monitor',
    title: 'Watch a terminal',
    description: [
      'Starts a command or an ssh login in a terminal that Signalbox watches, or follows a log file.',
      'A command needs approval first, as with check_auto_approve; pending: call again with request_id alone.',
      'Then read it with get_session_updates, see what it waits for with detect_input_prompt, answer with send_session_input.',
    ].join(' '),
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    needs: ['session_type'],
    async run({ request_id, session_type: type, ...given }, call) {
      if (request_id !== undefined) return settle(terminals, call, await call.reattach(request_id, ['command']), held)
      const wanted = readTerminalRequest({ ...given, session_type: type ?? 'file' }, call.session.workspaceRoot)
      if (!wanted.ok) return wanted
      const { key, link } = call
      if (wanted.value.kind === 'log') {
        if (call.session.workspaceClaimed) return notVouched
        const id = key === null ? newRandomId<SessionId>() : ownId(link.sessionId, key)
        return started(terminals, call, wanted.value, { id, since: null })
      }
      const run = wanted.value
      const taken = run.terminalId
      if (taken !== null && (await terminals.get(taken, link.actor)).ok) return alreadyThere(taken)
      // Refuse before asking anyone.
      const possible = await terminals.check(startOf(run, taken ?? newRandomId<SessionId>(), link.actor))
      if (!possible.ok) return possible
      const asked = { title: runTitle(run), subject: runSubject(run), known: (id: AskId) => held.hold(id, run) }
      return settle(terminals, call, await call.ask(asked), held)
    },
  })
}

/** A stable id for a cause, in the form of a session id. */
const ownId = (...cause: string[]): SessionId =>
  derivedId<SessionId>('mcp terminal', ...cause).replace(/^(.{14})./, '$14') as SessionId

async function settle(
  terminals: Terminals,
  call: ToolCall,
  asked: Result<AskResult>,
  held: HeldRuns,
): Promise<ToolResult> {
  if (!asked.ok) return asked
  const { ask, pending } = asked.value
  const run = await runIn(call, ask, ['terminal', 'login'])
  if (!run.ok) return run
  if (pending) return reply({ status: 'pending', request_id: ask.id })
  if (ask.answer?.outcome !== 'approve') {
    held.drop(ask.id)
    return notAllowed(ask, 'Nothing was started.')
  }
  const own = { id: ownId(ask.id), since: ask.createdAt }
  const there = await startedBefore(terminals, call, run.value, own)
  if (there) return there
  const whole = wholeRun(ask, run.value, held)
  held.drop(ask.id)
  return whole.ok ? started(terminals, call, whole.value, own) : whole
}

type StartedTerminal = {
  id: SessionId
  /** A terminal with the requested id that started after this time was started by this call. */
  since: string | null
}

async function startedBefore(
  terminals: Terminals,
  { link }: ToolCall,
  wanted: TerminalRequest,
  own: StartedTerminal,
): Promise<ToolResult | null> {
  const there = await terminals.get(wanted.terminalId ?? own.id, link.actor)
  if (!there.ok) return null
  const { terminal } = there.value
  const mine = wanted.terminalId === null || (own.since !== null && terminal.startTime >= own.since)
  return mine ? reply(shownTerminal(terminal)) : null
}

async function started(
  terminals: Terminals,
  call: ToolCall,
  wanted: TerminalRequest,
  own: StartedTerminal,
): Promise<ToolResult> {
  const { actor } = call.link
  const done = await terminals.start({ ...startOf(wanted, wanted.terminalId ?? own.id, actor), approved: true })
  if (done.ok) return reply(shownTerminal(done.value))
  if (done.fault.code !== 'session_already_exists') return done
  return (await startedBefore(terminals, call, wanted, own)) ?? done
}

const alreadyThere = (id: string) =>
  fail({
    kind: 'conflict',
    code: 'session_already_exists',
    message: `Session ${id} already exists.`,
    hint: 'Leave session_id out, or use a new one.',
  })

/** A requested terminal: a program or a login, which need approval, or a log. */
type TerminalRequest =
  | Extract<Run, { kind: 'terminal' | 'login' }>
  | {
      kind: 'log'
      type: 'file' | 'script'
      logFile: string
      terminalId: SessionId | null
      parentId: SessionId | null
      metadata: Record<string, string>
    }

type TerminalRequestInput = {
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
function readTerminalRequest(given: TerminalRequestInput, workspaceRoot: string): Result<TerminalRequest> {
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

function misfit(given: TerminalRequestInput): Failed | null {
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
const startOf = (wanted: TerminalRequest, sessionId: SessionId, actor: Actor): TerminalStart => ({
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
