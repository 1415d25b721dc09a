import type { App } from '../../../app/app.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newId } from '../../../lib/id.ts'
import { seeing, system } from '../actor.ts'

const fromAgents: readonly Ask['origin'][] = ['acp', 'clearance/request']

/** The process that asked is gone; the one that took its place hears the answer in words. */
export async function passOn(app: App, ask: Ask): Promise<void> {
  const { sessionId, title, answer } = ask
  if (sessionId === null || answer === null || !fromAgents.includes(ask.origin)) return
  const allowed = answer.outcome === 'approve' || answer.outcome === 'select' || answer.outcome === 'accept'
  const said = allowed ? `allowed (${JSON.stringify(answer)})` : 'refused'
  const text = `Before you were interrupted you asked: ${title}. The operator has ${said}. Go on accordingly.`
  await app.dispatch({ type: 'queue.add', id: newId<QueueItemId>(), sessionId, text, when: 'next' }, system)
}

/**
 * What was going on when the agent was lost. It hears what was answered since it was last heard, or is told to go on; if it
 * remembers nothing it hears its prompt again.
 */
export async function takeUpWork(app: App, sessionId: SessionId, remembers: boolean, since: string): Promise<void> {
  const { sent } = await app.read.headOfQueue(sessionId)
  if (sent && !remembers) return
  if (sent) await app.dispatch({ type: 'queue.settle', id: sent.id, sessionId, outcome: 'cancelled' }, system)
  const asks = await app.read.asks(seeing, { sessionId, statuses: ['open', 'answered'], limit: 100 })
  const found = asks.ok ? asks.value : []
  const unheard = found.filter(({ answeredAt }) => answeredAt !== null && answeredAt > since)
  for (const ask of unheard.toReversed()) await passOn(app, ask)
  // Whoever answers an ask that is still open sets it going.
  if (!sent || unheard.length > 0 || found.some(({ status }) => status === 'open')) return
  const text = 'You were interrupted. Go on with what you were doing.'
  await app.dispatch({ type: 'queue.add', id: newId<QueueItemId>(), sessionId, text, when: 'now' }, system)
}
