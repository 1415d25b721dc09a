import { describe, expect, it } from 'vitest'
import type { IncomingMessage } from '../../../domain/chat/incoming.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import type { Message } from '../../../domain/message/schema.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { audienceOf, hasChannels, homeOf, isAnnouncedAgain, isForChat, postsOfAlert, replyThread } from './where.ts'

type Place = Parameters<typeof homeOf>[0]
const nowhere = { messagingGroupId: null, agentGroupId: null, threadId: null, channelId: null }
const at = (more: object, mode: Session['mode'] = 'remote') => ({ ...nowhere, mode, ...more }) as Place
const inChat = { messagingGroupId: 'm1', agentGroupId: 'g1', threadId: '1.0', channelId: 'C1' }
const ofGroup = { agentGroupId: 'g1' }
const inChannel = { channelId: 'C1' }

describe('the home of a session', () => {
  it.each<[string, object, object]>([
    ['the chat where it was started', inChat, { kind: 'started_in', chatId: 'm1', thread: '1.0' }],
    ['where it was spoken to last, for all chats of a group', ofGroup, { kind: 'last_heard' }],
    ['the channel of its workspace', inChannel, { kind: 'channel', channelId: 'C1' }],
    ['nowhere, if it has nothing to do with a chat', {}, { kind: 'nowhere' }],
  ])('X11 is %s', (_what, more, home) => {
    expect(homeOf(at(more))).toEqual(home)
    expect(homeOf(at(more, 'hybrid'))).toEqual(home)
  })

  it.each([inChat, ofGroup, inChannel, {}])('R14 is nowhere while it is local: %j', (more) => {
    expect(homeOf(at(more, 'local'))).toEqual({ kind: 'nowhere' })
  })

  it('X10 is in a channel of the configuration only for the Slack account that is named slack', () => {
    expect(hasChannels({ platform: 'slack', name: 'slack' })).toBe(true)
    expect(hasChannels({ platform: 'slack', name: 'acme' })).toBe(false)
    expect(hasChannels({ platform: 'discord', name: 'discord' })).toBe(false)
  })
})

describe('the thread of a reply', () => {
  const message = (thread: string | null, isGroup: boolean) =>
    ({ thread, messageId: '2.0', chat: { id: 'C1', name: null, isGroup, isDirect: !isGroup } }) as IncomingMessage
  it.each([
    ['of the message', message('1.0', true), true, '1.0'],
    ['of the message, where none can be opened', message('1.0', true), false, '1.0'],
    ['under the message', message(null, true), true, '2.0'],
    ['none, where none can be opened', message(null, true), false, null],
    ['none between two', message(null, false), true, null],
  ] as const)('X11 is the one %s', (_what, said, opensThreads, thread) => {
    expect(replyThread(said, opensThreads)).toBe(thread)
  })
})

describe('who is shown a new ask', () => {
  const ask = (kind: string) => ({ subject: { kind } }) as Pick<Ask, 'subject'>
  it.each<[string, string, Place | null, boolean, string]>([
    ['everyone where its session is', 'diff', at(inChat), true, 'place'],
    ['nobody here, if the session is in a chat of another instance', 'diff', at(inChat), false, 'nowhere'],
    ['nobody here, if the session was spoken to in a chat of another instance', 'diff', at(ofGroup), false, 'nowhere'],
    ['those who may answer, if the session is in no chat', 'diff', at({}), false, 'direct'],
    ['those who may answer, if the session is in no chat and hybrid', 'diff', at({}, 'hybrid'), false, 'direct'],
    ['nobody in a chat, if the session is local', 'diff', at({}, 'local'), false, 'nowhere'],
    ['nobody in a chat, if the session was started there and is local', 'diff', at(inChat, 'local'), false, 'nowhere'],
    ['those who may answer, if there is no session', 'new_chat', null, false, 'direct'],
    ['admins directly, never the thread', 'packages', at(inChat), true, 'direct'],
    ['admins directly, also if the session is local', 'create_agent', at(inChat, 'local'), false, 'direct'],
  ])('R14 is %s', (_what, kind, session, hasPlace, audience) => {
    expect(audienceOf(ask(kind), session, { hasPlace, isHeard: true })).toBe(audience)
  })

  it('C8 R14 is those who may answer, if the clock started the session of an agent group', () => {
    const unheard = { hasPlace: false, isHeard: false }
    expect(audienceOf(ask('diff'), at(ofGroup), unheard)).toBe('direct')
    expect(audienceOf(ask('diff'), at(ofGroup, 'local'), unheard)).toBe('nowhere')
    expect(audienceOf(ask('diff'), at(inChat), unheard)).toBe('nowhere')
  })

  it.each([
    ['remote', 'active', true],
    ['hybrid', 'paused', true],
    ['local', 'active', false],
    ['remote', 'completed', false],
  ] as const)('R14 a session that becomes %s and is %s announces what is open: %s', (mode, status, isAgain) => {
    expect(isAnnouncedAgain({ mode, status })).toBe(isAgain)
  })
})

describe('what is posted', () => {
  it('R16 an escalation is a message of its own', () => {
    expect(postsOfAlert({ escalatedAt: null })).toEqual(['alert'])
    expect(postsOfAlert({ escalatedAt: '2026-01-01T00:00:00.000Z' })).toEqual(['alert', 'escalation'])
  })

  const message = (role: string, content: object) => ({ role, content }) as Message
  const said = { type: 'text', text: 'Done' }
  const growing = { type: 'text', text: 'Do', partial: true }
  const tool = { type: 'tool', tool: 'edit' }
  it.each<[string, Message, quiet: boolean, verbose: boolean]>([
    ['what the agent said', message('agent', said), true, true],
    ['what it is saying', message('agent', growing), false, true],
    ['nothing', message('agent', { type: 'text', text: ' \n' }), false, false],
    ['what a person said', message('user', said), false, false],
    ['what a tool does', message('agent', tool), false, true],
  ])('X11 %s', (_what, one, quiet, verbose) => {
    expect([isForChat(one, false), isForChat(one, true)]).toEqual([quiet, verbose])
  })
})
