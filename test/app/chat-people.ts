import type { Reply } from '../../src/app/chat/commands/reply.ts'
import type { ChatSender } from '../../src/domain/chat/incoming.ts'
import type { Content } from '../../src/domain/chat-post/content.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import type { Person, World } from '../world.ts'
import { chatHarness, sender } from './chat-harness.ts'

export const people: Record<string, ChatSender> = {
  owner: sender('U1', 'Ann'),
  member: sender('U2', 'Bea'),
  admin: sender('U3', 'Cem'),
  linked: sender('U4', 'Dan'),
  stranger: sender('U9', 'Eve'),
}
export const textOf = (reply: Reply): string => {
  if (!reply) return ''
  const shown: Content = reply.content
  return shown.kind === 'text' ? shown.text : JSON.stringify(shown)
}

/** Ann's session in thread 1.0 of a wired chat; Bea is a member too, Cem an admin, Dan somebody with an account. */
export async function setting(world: World) {
  const on = await chatHarness(world)
  const group = await on.group('Dev')
  const chatId = await on.chat('C1')
  await on.wire(chatId, group, { engageMode: 'mention-sticky' })
  const ann = await on.member(group)
  const bea = await on.member(group, 'U2', 'Bea')
  const cem = await on.member(null, 'U3', 'Cem')
  await world.do({ type: 'role.grant', userId: cem.userId, role: 'admin', agentGroupId: null })
  const userId = newId<UserId>()
  const identities = ['slack:U4', 'email:dan@example.org']
  await world.do({ type: 'user.create', id: userId, displayName: 'Dan', identities })
  const dan: Person = { kind: 'person', userId, scope: 'full' }
  await on.say('fix the login page', { messageId: '1.0' })
  const id: SessionId = (await on.sessions())[0]!.id
  return { on, group, chatId, ann, bea, cem, dan, id, short: id.slice(0, 8) }
}
export const status = async ({ on, id }: Awaited<ReturnType<typeof setting>>) =>
  (await on.sessions()).find((one) => one.id === id)?.status

/** Everything but what counts strangers and remembers requests. */
export async function state(world: World) {
  const { unregistered_senders: _counted, commands: _keys, ...rest } = await world.tables()
  return rest
}
