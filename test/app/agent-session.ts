import type { Command } from '../../src/app/command.ts'
import type { MessageWrite } from '../../src/domain/agent/schema.ts'
import type { MessageContent, MessageId } from '../../src/domain/message/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { newId } from '../../src/lib/id.ts'
import { newSession, type Person, type World } from '../world.ts'

/** When these agents' messages began. */
export const at = '2029-12-31T23:59:59.000Z'
export const text = (words: string, partial = false): MessageContent => ({ type: 'text', text: words, partial })
export const write = (content: MessageContent, more: Partial<MessageWrite> = {}): MessageWrite => ({
  id: newId<MessageId>(),
  role: 'agent',
  content,
  final: true,
  at,
  ...more,
})
export const record = (id: SessionId, offset: number, writes: MessageWrite[], more: object = {}): Command => ({
  type: 'agent.record',
  id,
  offset,
  writes,
  tool: null,
  ...more,
})

/** A session whose agent this node hosts. */
export async function hosted(world: World, owner: Person, more: object = {}): Promise<SessionId> {
  const session = newSession(owner, { protocolMode: 'acp', ...more })
  const start = { type: 'session.start', session, active: false, restartOf: null, hostedBy: 'first' } as const
  await world.do(start, owner)
  await world.do({ type: 'session.activate', id: session.id, reason: null })
  return session.id
}

export const messagesOf = async (world: World, who: Person, id: SessionId) => {
  const found = await world.app.read.messages(await world.app.read.standing(who), id, undefined)
  return found.ok ? found.value : []
}
export const search = async (
  world: World,
  who: Person,
  q: string,
  more: { sessionId?: SessionId; limit?: number } = {},
) => {
  const found = await world.app.read.searchMessages(await world.app.read.standing(who), { q, limit: 50, ...more })
  if (!found.ok) throw new Error(found.fault.code)
  return found.value.messages.map(({ id }) => id)
}
