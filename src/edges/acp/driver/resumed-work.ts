import type { App } from '../../../app/app.ts'
import type { Answer } from '../../../domain/ask/answer.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { isGroupKind } from '../../../domain/ask/kinds.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newId } from '../../../lib/id.ts'
import { systemViewer, system } from '../actor.ts'

const overAcp: readonly Ask['origin'][] = ['acp', 'clearance/request']
const overMcp: readonly Ask['origin'][] = ['ask_approval', 'mcp']

/** Asked by an earlier process. An MCP client may also come back for the answer itself. */
const isOrphaned = ({ origin, createdAt }: Ask, metAt: string): boolean =>
  overAcp.includes(origin) || (overMcp.includes(origin) && createdAt < metAt)

/** Automatic permission for our own tools: the agent does not know it asked. */
const isOwnTool = ({ answeredBy }: Ask): boolean => answeredBy === 'policy:own-tool'

/** The process that asked is gone, so its successor gets the answer as a prompt. */
export async function passOnAnswer(app: App, ask: Ask, metAt: string): Promise<void> {
  const { sessionId, answer } = ask
  // Administration itself tells how it ended.
  if (isGroupKind(ask.kind)) return
  if (sessionId === null || answer === null || !isOrphaned(ask, metAt) || isOwnTool(ask)) return
  const asked = overMcp.includes(ask.origin) ? `${ask.title} (request_id ${ask.id})` : ask.title
  const text = `Before you were interrupted you asked: ${asked}. The operator has ${answerText(answer)}. Continue accordingly.`
  await app.dispatch({ type: 'queue.add', id: newId<QueueItemId>(), sessionId, text, when: 'next' }, system)
}

function answerText(answer: Answer): string {
  if (['approve', 'select', 'accept'].includes(answer.outcome)) return `allowed (${JSON.stringify(answer)})`
  return ['reject', 'decline'].includes(answer.outcome) ? 'refused' : `answered (${JSON.stringify(answer)})`
}

/**
 * Resumes what a lost agent was doing. It gets the answers given since, or is told to continue. If it remembers
 * nothing, its prompt is sent again.
 */
export async function resumeWork(
  app: App,
  sessionId: SessionId,
  remembers: boolean,
  { since, metAt }: { since: string; metAt: string },
): Promise<void> {
  const { sent } = await app.read.headOfQueue(sessionId)
  if (sent && !remembers) return
  if (sent) await app.dispatch({ type: 'queue.settle', id: sent.id, sessionId, outcome: 'cancelled' }, system)
  const asks = await app.read.asks(systemViewer, { sessionId, statuses: ['open', 'answered'], limit: 100 })
  const found = asks.ok ? asks.value : []
  const unheard = found.filter(
    (ask) => ask.answeredAt !== null && ask.answeredAt > since && !isOwnTool(ask) && !isGroupKind(ask.kind),
  )
  for (const ask of unheard.toReversed()) await passOnAnswer(app, ask, metAt)
  // The answer to an open ask makes it continue.
  if (!sent || unheard.length > 0 || found.some(({ status }) => status === 'open')) return
  const text = 'You were interrupted. Continue with what you were doing.'
  await app.dispatch({ type: 'queue.add', id: newId<QueueItemId>(), sessionId, text, when: 'now' }, system)
}
