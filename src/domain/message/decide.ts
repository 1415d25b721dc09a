import { canonicalJson } from '../../lib/json.ts'
import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { SessionId } from '../session/id.ts'
import { hasEnded, type SessionStatus } from '../session/status.ts'
import type { MessageChange, MessageCommand, MessageContent, MessageId, MessageRole } from './schema.ts'

export const messageAdded = (
  id: MessageId,
  sessionId: SessionId,
  role: MessageRole,
  content: MessageContent,
  { at, final }: { at?: string; final: boolean } = { final: true },
): MessageChange => ({
  type: 'message.added',
  data: { id, sessionId, role, contentHash: sha256(canonicalJson(content)), ...(!final && { partial: true }) },
  body: content,
  ...(at !== undefined && { began: at }),
})

export const messageCompleted = (id: MessageId, sessionId: SessionId, content: MessageContent): MessageChange => ({
  type: 'message.completed',
  data: { id, sessionId, contentHash: sha256(canonicalJson(content)) },
  body: content,
})

export function decideMessage(
  session: { status: SessionStatus } | undefined,
  command: MessageCommand,
): Result<MessageChange[]> {
  if (!session) return notFound('session', command.sessionId)
  if (hasEnded(session.status))
    return fail({
      kind: 'conflict',
      code: 'session_ended',
      message: `The session has ended (${session.status}); nothing can be added to it.`,
      hint: 'Continue it as a new session.',
    })
  return ok([messageAdded(command.id, command.sessionId, command.role, command.content)])
}
