import { notFound, ok, type Result } from '../../lib/result.ts'
import { messageAdded, messageCompleted } from '../message/decide.ts'
import type { MessageChange, MessageId } from '../message/schema.ts'
import { signOfLife, type SessionState } from '../session/decide.ts'
import type { SessionChange } from '../session/schema.ts'
import { takesSlot } from '../session/status.ts'
import type { AgentChange, AgentCommand, MessageWrite } from './schema.ts'

type Known = ReadonlyMap<MessageId, 'open' | 'complete'>

/** Agent output is recorded even if its session has just ended: it is a record, not a request. */
export function decideAgent(
  session: SessionState | undefined,
  /** The messages of this write that already exist. */
  known: Known,
  command: AgentCommand,
  facts: { now: number; noteId: MessageId },
): Result<(AgentChange | SessionChange)[]> {
  if (!session) return notFound('session', command.id)
  if (command.type === 'agent.host')
    return ok([
      { type: 'agent.hosted', data: { id: session.id, nodeId: command.nodeId, childId: command.childId ?? null } },
    ])
  const { id, type: _type, writes, heard, ...body } = command
  // Our own notes are not a sign of life: a nudge must not count as its own success.
  const alive = heard !== false
  const life = alive && takesSlot(session.status) ? signOfLife(session, command.tool, facts) : []
  return ok([
    ...writes.flatMap((write) => written(session, known, write)),
    { type: 'agent.recorded', data: { id, offset: command.offset }, body },
    ...life,
  ])
}

function written(session: SessionState, known: Known, write: MessageWrite): MessageChange[] {
  const { id, role, content, final, at } = write
  const there = known.get(id)
  if (there === undefined) return [messageAdded(id, session.id, role, content, { at, final })]
  return final && there === 'open'
    ? [messageCompleted(id, session.id, content)]
    : [{ type: 'message.updated', data: { id, sessionId: session.id }, body: content }]
}
