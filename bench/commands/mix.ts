import type { Command } from '../../src/app/command.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { newId, newRandomId } from '../../src/lib/id.ts'

export type Said = { command: Command; actor: Actor }

export const sessionStart = (ownerUserId: UserId, id: SessionId): Said => ({
  command: {
    type: 'session.start',
    active: true,
    restartOf: null,
    session: {
      id,
      ownerUserId,
      protocolMode: 'mcp',
      workspaceRoot: '/srv/shop',
      repoId: null,
      prompt: 'Mend the checkout of the shop.',
      mode: 'remote',
      agent: null,
      agentProvider: null,
      agentGroupId: null,
      messagingGroupId: null,
      threadId: null,
      channelId: null,
      threadTs: null,
      metadata: {},
      isolation: null,
      tokenId: null,
    },
  },
  actor: { kind: 'person', userId: ownerUserId, scope: 'full' },
})

/**
 * The commands of a working session, ten per unit: six messages (five from the agent, one from its owner), an
 * ask and its answer, a pause and a resume.
 */
export function unitOfWork(userId: UserId, sessionId: SessionId): Said[] {
  const person: Actor = { kind: 'person', userId, scope: 'full' }
  const agent: Actor = { kind: 'agent', userId, tokenId: newId(), sessionId }
  const message = (role: 'agent' | 'user'): Said => ({
    command: {
      type: 'message.add',
      id: newId(),
      sessionId,
      role,
      content: { type: 'text', text: 'The total is computed before the discount; I look for the reason. '.repeat(3) },
    },
    actor: role === 'agent' ? agent : person,
  })
  const askId = newId<Extract<Command, { type: 'ask.answer' }>['id']>()
  const open: Command = {
    type: 'ask.open',
    ask: {
      id: askId,
      sessionId,
      origin: 'ask_approval',
      title: 'Change src/cart.ts',
      description: null,
      riskLevel: 'low',
      subject: {
        kind: 'diff',
        filePath: 'src/cart.ts',
        diff: '-  total()\n+  total(discount)\n'.repeat(10),
        files: [],
      },
      needed: 1,
      answerers: null,
      timeoutSeconds: null,
    },
  }
  return [
    message('user'),
    message('agent'),
    message('agent'),
    { command: open, actor: agent },
    {
      command: { type: 'ask.answer', id: askId, answer: { outcome: 'approve', always: false, reason: null } },
      actor: person,
    },
    message('agent'),
    message('agent'),
    { command: { type: 'session.pause', id: sessionId, reason: null }, actor: person },
    { command: { type: 'session.resume', id: sessionId, reason: null }, actor: person },
    message('agent'),
  ]
}

export const sessionIds = (count: number): SessionId[] => Array.from({ length: count }, () => newRandomId<SessionId>())
