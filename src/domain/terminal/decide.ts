import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import { decideStart, type SessionFacts, type SessionState } from '../session/decide.ts'
import type { UserId } from '../user/id.ts'
import type { TerminalChange, TerminalCommand } from './schema.ts'

type TerminalOpen = Extract<TerminalCommand, { type: 'terminal.open' }>

export function decideTerminalOpen(
  existing: SessionState | undefined,
  parentIsKnown: boolean,
  command: TerminalOpen,
  facts: SessionFacts,
): Result<TerminalChange[]> {
  const { session, terminal, node } = command
  if (terminal.parentSessionId !== null && !parentIsKnown) return notFound('session', terminal.parentSessionId)
  const started = decideStart(
    existing,
    undefined,
    { type: 'session.start', session, active: true, restartOf: null },
    facts,
  )
  if (!started.ok) return started
  const { sessionType, startedBy } = terminal
  return ok([
    ...started.value,
    { type: 'terminal.opened', data: { sessionId: session.id, sessionType, startedBy }, body: { terminal, node } },
  ])
}

/** The state of a terminal when a command about it is decided. */
export type TerminalFacts = {
  isOpen: boolean
  grantedTo: readonly string[]
  granteeIsKnown: boolean
  by: UserId | null
}

export function decideTerminal(
  terminal: TerminalFacts | undefined,
  command: Exclude<TerminalCommand, TerminalOpen>,
): Result<TerminalChange[]> {
  if (!terminal) return notFound('session', command.id)
  switch (command.type) {
    case 'terminal.advance': {
      const { id, type: _type, cols, rows, ...position } = command
      const size = { ...(cols !== undefined && { cols }), ...(rows !== undefined && { rows }) }
      return ok([{ type: 'terminal.advanced', data: { sessionId: id, ...position, ...size } }])
    }
    case 'terminal.close': {
      if (!terminal.isOpen) return ok([])
      const { id, exitCode, exitSignal, hungUp } = command
      const data = { sessionId: id, exitCode, exitSignal, ...(hungUp === true && { hungUp }) }
      return ok([{ type: 'terminal.closed', data }])
    }
    case 'terminal.grant':
      if (!terminal.granteeIsKnown) return notFound('session', command.sessionId)
      if (command.sessionId === command.id)
        return fail({ kind: 'invalid', code: 'grant_to_itself', message: 'A terminal can already reach itself.' })
      if (terminal.grantedTo.includes(command.sessionId)) return ok([])
      return ok([{ type: 'terminal.granted', data: { sessionId: command.id, to: command.sessionId, by: terminal.by } }])
    case 'terminal.revoke':
      if (!terminal.grantedTo.includes(command.sessionId)) return ok([])
      return ok([{ type: 'terminal.revoked', data: { sessionId: command.id, to: command.sessionId } }])
    default:
      return command satisfies never
  }
}
