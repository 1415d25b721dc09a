import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { messageAdded } from '../message/decide.ts'
import type { AskChange } from '../ask/change.ts'
import type { AskId } from '../ask/id.ts'
import type { MessageChange, MessageId } from '../message/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentPhase } from '../session/phase.ts'
import { takesSlot, type SessionStatus } from '../session/status.ts'
import { handOver } from './hand-over.ts'
import type { QueueChange, QueueCommand, QueueItem, QueueItemId, QueuePlace } from './schema.ts'

export const queueAdded = (
  item: { id: QueueItemId; sessionId: SessionId; when: QueuePlace },
  text: string,
  by: string,
): QueueChange => ({
  type: 'queue.added',
  data: { id: item.id, sessionId: item.sessionId, when: item.when, textHash: sha256(text), by },
  body: text,
})

export function decideQueue(
  session: { id: SessionId; status: SessionStatus; agentPhase: AgentPhase; openWait: AskId | null } | undefined,
  item: QueueItem | undefined,
  command: QueueCommand,
  facts: { by: string; noteId: MessageId },
): Result<(QueueChange | MessageChange | AskChange)[]> {
  const { id, sessionId } = command
  if (!session) return notFound('session', sessionId)
  if (command.type === 'queue.add') {
    if (item) return fail({ kind: 'conflict', code: 'queue_item_exists', message: `Item ${id} already exists.` })
    // What is said in a chat waits with the agent instead of being said again.
    const waits = command.through !== undefined || command.waits === true
    const kept = command.kept === true && facts.by.startsWith('system:')
    const takes = kept || (waits ? takesSlot(session.status) : session.status === 'active')
    if (!takes) return notActive(session.status)
    const added = queueAdded({ id, sessionId, when: command.when }, command.text, facts.by)
    if (session.openWait === null || session.status !== 'active') return ok([added])
    const taken = { id, sessionId, text: command.text, by: facts.by }
    return ok([added, ...handOver({ id: session.openWait, sessionId }, taken, facts.noteId)])
  }
  if (!item || item.sessionId !== sessionId) return notFound('queue_item', id)
  switch (command.type) {
    case 'queue.send':
      if (item.status !== 'waiting') return tooLate(item)
      if (session.status !== 'active') return notActive(session.status)
      // Its process is ending, or has not started: only the next one may get it.
      if (session.agentPhase !== 'awake') return fail(asleep)
      return ok([
        { type: 'queue.sent', data: { id, sessionId, messageId: command.messageId } },
        messageAdded(command.messageId, sessionId, 'user', { type: 'text', text: item.text }),
      ])
    case 'queue.settle':
      return item.status === 'sent'
        ? ok([{ type: 'queue.delivered', data: { id, sessionId, outcome: command.outcome } }])
        : ok([])
    case 'queue.drop':
      return item.status === 'waiting'
        ? ok([{ type: 'queue.dropped', data: { id, sessionId, reason: command.reason } }])
        : tooLate(item)
    default:
      return command satisfies never
  }
}

const hints: Partial<Readonly<Record<SessionStatus, string>>> = {
  created: 'It is still starting; try again in a moment.',
  paused: 'Resume it first.',
  interrupted: 'Recover it first.',
}

const notActive = (status: SessionStatus): Failed =>
  fail({
    kind: 'conflict',
    code: 'session_not_active',
    message: `The session is ${status}; only an active one accepts prompts.`,
    hint: hints[status] ?? 'Continue it as a new session.',
    details: { status },
  })

const asleep = {
  kind: 'conflict' as const,
  code: 'agent_not_awake',
  message: 'The agent of this session is asleep or starting.',
}

const tooLate = (item: QueueItem): Failed =>
  fail({
    kind: 'conflict',
    code: 'already_sent',
    message: `It is ${item.status} already.`,
    details: { status: item.status },
  })
