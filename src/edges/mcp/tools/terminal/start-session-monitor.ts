import * as z from 'zod'
import type { Terminals } from '../../../../app/terminals.ts'
import type { SessionId } from '../../../../domain/session/id.ts'
import { TerminalType } from '../../../../domain/terminal/schema.ts'
import { derivedId } from '../../../../lib/derived-id.ts'
import { newRandomId } from '../../../../lib/id.ts'
import { fail, type Result } from '../../../../lib/result.ts'
import type { Call, Held } from '../../calls/call.ts'
import { requestNotFound } from '../../calls/call.ts'
import { notVouched, requestId } from '../parts.ts'
import { said, tool, type Said } from '../tool.ts'
import { monitor, notAllowed, shownTerminal } from './parts.ts'
import { commandOf, described, lineOf, startOf, wantedIn, wantedOf, type Wanted } from './wanted.ts'

const path = z.string().min(1).max(4096)
const name = z
  .string()
  .max(200)
  .regex(/^[^\s-]\S*$/, 'must have no blanks, and not begin with -')

const input = z.strictObject({
  session_type: TerminalType.optional().describe(
    'Required. script: runs a command, or follows a typescript of script(1). ssh: logs in. file: follows a log.',
  ),
  log_file: path.optional().describe('file, or script without a command: the absolute path of a log that is there.'),
  command: z
    .array(z.string().max(100_000))
    .min(1)
    .max(1000)
    .optional()
    .describe('script: the program and its arguments, each by itself; no shell reads them.'),
  cwd: path.optional().describe('script: where it runs; your workspace by default.'),
  host: name.optional().describe('ssh: where to log in.'),
  user: name.optional().describe('ssh: as whom.'),
  session_id: z.string().max(100).optional().describe('A UUID of version 4 of your own choice.'),
  parent_session_id: z.string().max(100).optional().describe('The terminal it was started from, for ssh within ssh.'),
  metadata: z
    .record(z.string().min(1).max(200), z.string().max(4096))
    .optional()
    .describe('Texts of your own, kept with it.'),
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

export const startSessionMonitor = (terminals: Terminals) =>
  tool({
    name: 'start_session_monitor',
    title: 'Watch a terminal',
    description: [
      'Starts a command or an ssh login in a terminal that Signalbox watches, or follows a log file.',
      'A command is asked for first, as with check_auto_approve; pending: call again with request_id alone.',
      'Then read it with get_session_updates, see what it waits for with detect_input_prompt, answer with send_session_input.',
    ].join(' '),
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    needs: ['session_type'],
    async run({ request_id, session_type: type, ...given }, call) {
      if (request_id !== undefined) return settle(terminals, call, await call.reattach(request_id, ['command']))
      const wanted = wantedOf({ ...given, session_type: type ?? 'file' }, call.session.workspaceRoot)
      if (!wanted.ok) return wanted
      const words = commandOf(wanted.value)
      const { key, link } = call
      if (words === null) {
        if (call.session.workspaceClaimed) return notVouched
        const id = key === null ? newRandomId<SessionId>() : ownId(link.sessionId, key)
        return started(terminals, call, wanted.value, { id, since: null })
      }
      const taken = wanted.value.session_id
      if (taken !== null && (await terminals.get(taken, link.actor)).ok) return alreadyThere(taken)
      // Nobody is asked for what can't be.
      const possible = await terminals.check(startOf(wanted.value, taken ?? newRandomId<SessionId>(), link.actor))
      if (!possible.ok) return possible
      const command = lineOf(words)
      return settle(
        terminals,
        call,
        await call.ask({
          title: command.replaceAll(/\s+/g, ' ').slice(0, 500),
          description: described(wanted.value),
          subject: { kind: 'command', command, cwd: wanted.value.cwd ?? call.session.workspaceRoot },
        }),
      )
    },
  })

/** The same for the same cause, and of the form that sessions have. */
const ownId = (...cause: string[]): SessionId =>
  derivedId<SessionId>('mcp terminal', ...cause).replace(/^(.{14})./, '$14') as SessionId

async function settle(terminals: Terminals, call: Call, held: Result<Held>): Promise<Said> {
  if (!held.ok) return held
  const { ask, pending } = held.value
  const wanted = wantedIn(ask)
  if (wanted === null) return requestNotFound(ask.id)
  if (pending) return said({ status: 'pending', request_id: ask.id })
  if (ask.answer?.outcome !== 'approve') return notAllowed(ask, 'Nothing was started.')
  return started(terminals, call, wanted, { id: ownId(ask.id), since: ask.createdAt })
}

/** `since`: one that was started later, by the same id, is the one that this very call started before. */
async function started(
  terminals: Terminals,
  { link }: Call,
  wanted: Wanted,
  own: { id: SessionId; since: string | null },
): Promise<Said> {
  const id = wanted.session_id ?? own.id
  const done = await terminals.start({ ...startOf(wanted, id, link.actor), approved: true })
  if (done.ok) return said(shownTerminal(done.value))
  if (done.fault.code !== 'session_already_exists') return done
  const there = await terminals.get(id, link.actor)
  const mine =
    wanted.session_id === null || (own.since !== null && there.ok && there.value.terminal.startTime >= own.since)
  return there.ok && mine ? said(shownTerminal(there.value.terminal)) : done
}

const alreadyThere = (id: string) =>
  fail({
    kind: 'conflict',
    code: 'session_already_exists',
    message: `There is a session ${id} already.`,
    hint: 'Leave session_id out, or take a new one.',
  })
