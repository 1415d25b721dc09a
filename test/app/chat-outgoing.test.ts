import '../support/chats/loopback-guard.ts'
import { expect, it } from 'vitest'
import { createOutgoing, type OutgoingFile } from '../../src/app/chat/outgoing/outgoing.ts'
import { createPosts } from '../../src/app/chat/posts.ts'
import { createTellSender } from '../../src/app/chat/outgoing/tell-sender.ts'
import { ChatCommand } from '../../src/domain/chat/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { iso } from '../../src/lib/clock.ts'
import { ok } from '../../src/lib/result.ts'
import { describeBoth, describeUsual, type World } from '../world.ts'
import { chatHarness } from './chat-harness.ts'

const viewer = { actor: { kind: 'system' as const, name: 'test' }, grants: [], memberOf: [], unknown: false }

/** A chat with one agent group, one member, and a session in the thread 1.0. */
async function setUp(world: World) {
  const on = await chatHarness(world)
  const group = await on.group('Dev')
  const chatId = await on.chat('C1')
  const wiring = await on.wire(chatId, group, { engageMode: 'mention-sticky' })
  const ann = await on.member(group)
  await on.say('fix it', { messageId: '1.0' })
  const sessionId = (await on.sessions())[0]?.id as SessionId
  const session = async (id = sessionId) => {
    const found = await world.app.read.session(viewer, id)
    if (!found.ok) throw new Error(found.fault.message)
    return found.value
  }
  const none = async () => {
    throw new Error('no session is started here')
  }
  const { database, clock } = world
  const make = (posts = on.posts) =>
    createOutgoing({ app: world.app, database, posts, clock, sessions: { start: none, continue: none } })
  const rows = () =>
    database.read
      .selectFrom('chat_posts')
      .select(['subject_id', 'messaging_group_id as chat', 'thread_id as thread', 'content', 'revision', 'reply_to'])
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  return { on, group, chatId, wiring, ann, sessionId, session, make, outgoing: make(), rows }
}
type Outgoing = ReturnType<typeof createOutgoing>
const say = (text: string, to: string | null = null, replyTo: string | null = null) => ({ to, text, replyTo })
const codeOf = (result: Awaited<ReturnType<Outgoing['send' | 'edit' | 'react']>>) =>
  result.ok ? 'ok' : result.fault.code
const sentId = (result: Awaited<ReturnType<Outgoing['send']>>): string => {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value.messageId
}

describeBoth('C4 an agent that sends a message', (open) => {
  it('replies in the thread of the last message by default; a repeated call posts once, also after a restart', async () => {
    await using world = await open()
    const { session, outgoing, make, rows, chatId, on } = await setUp(world)
    const first = await outgoing.send(await session(), say('done'), 'call-1')
    // The next message comes from elsewhere, and a new server gets the call again.
    await on.say('more', { thread: '1.0', mention: false })
    expect(await make().send(await session(), say('done'), 'call-1')).toEqual(first)
    await outgoing.send(await session(), say('done'), 'call-2')
    expect(await rows()).toMatchObject([
      { subject_id: sentId(first), chat: chatId, thread: '1.0', revision: 1 },
      { chat: chatId, thread: '1.0', revision: 1 },
    ])
    const outbox = await world.database.read.selectFrom('outbox').select('destination').execute()
    expect(outbox).toHaveLength(2)
  })

  it('replies where the last message came from, and a repeated call where it was sent first', async () => {
    await using world = await open()
    const { on, group, make, rows, session } = await setUp(world)
    const [one, two] = [await on.chat('C2'), await on.chat('C3')]
    for (const chatId of [one, two]) await on.wire(chatId, group, { sessionMode: 'agent-shared' })
    await on.say('one', { chat: 'C2' })
    const shared = (await on.sessions()).find(({ session_mode }) => session_mode === 'agent-shared')?.id
    const send = async (key: string) => sentId(await make().send(await session(shared), say('done'), key))
    const first = await send('a')
    await on.say('two', { chat: 'C3' })
    expect(await send('a')).toBe(first)
    await send('b')
    expect((await rows()).map(({ chat }) => chat).toSorted()).toEqual([one, two].toSorted())
  })

  it('reaches only destinations of its agent group, as they are at that moment', async () => {
    await using world = await open()
    const { session, outgoing, rows, group, on, wiring } = await setUp(world)
    const other = await on.chat('C2', { name: 'ops' })
    expect(await outgoing.send(await session(), say('hi', 'ops'), 'a')).toMatchObject({
      fault: { code: 'unknown_destination', hint: 'Known: dev.' },
    })
    await world.do(
      ChatCommand.parse({ type: 'destination.add', agentGroupId: group, targetType: 'channel', targetId: other }),
    )
    expect(await outgoing.destinations(await session())).toEqual([
      { name: 'dev', type: 'channel', description: 'A group chat on slack: dev.' },
      { name: 'ops', type: 'channel', description: 'A group chat on slack: ops.' },
    ])
    const sent = sentId(await outgoing.send(await session(), say('hi', 'ops'), 'a'))
    expect(await rows()).toMatchObject([{ chat: other, thread: null }])
    await world.do({ type: 'destination.remove', agentGroupId: group, localName: 'ops' })
    expect(codeOf(await outgoing.send(await session(), say('hi', 'ops'), 'b'))).toBe('unknown_destination')
    expect(codeOf(await outgoing.edit(await session(), sent, 'hello'))).toBe('message_not_found')
    await world.do({ type: 'wiring.remove', id: wiring })
    expect(await outgoing.send(await session(), say('hi'), 'c')).toMatchObject({
      fault: { code: 'unknown_destination', message: 'No chat to reply to.' },
    })
  })

  it('without an agent group writes only to its own thread, named here', async () => {
    await using world = await open()
    const { outgoing, session, ann, chatId, rows } = await setUp(world)
    const alone = await world.session(ann, { channelId: 'C1', threadTs: '7.0' })
    expect(await outgoing.destinations(await session(alone))).toMatchObject([{ name: 'here', type: 'channel' }])
    await outgoing.send(await session(alone), say('hi', 'here'), 'a')
    expect(await rows()).toMatchObject([{ chat: chatId, thread: '7.0' }])
    expect(await outgoing.send(await session(alone), say('hi', 'dev'), 'b')).toMatchObject({
      fault: { code: 'unknown_destination', hint: 'Known: here.' },
    })
    const nowhere = await world.session(ann)
    expect(await outgoing.destinations(await session(nowhere))).toEqual([])
    expect(codeOf(await outgoing.send(await session(nowhere), say('hi'), 'c'))).toBe('unknown_destination')
  })
})

describeUsual('C4 messages of agents', (open) => {
  it('without text, or with too much of it, are refused', async () => {
    await using world = await open()
    const { session, outgoing, rows } = await setUp(world)
    expect(codeOf(await outgoing.send(await session(), say(' \n'), 'a'))).toBe('empty_message')
    expect(codeOf(await outgoing.send(await session(), say('x'.repeat(20_001)), 'b'))).toBe('too_large')
    expect(await rows()).toEqual([])
  })

  it('are limited per session, and the refusal says when to try again; a repeated call does not count', async () => {
    await using world = await open()
    const { session, outgoing } = await setUp(world)
    for (let n = 0; n < 30; n += 1) expect(codeOf(await outgoing.send(await session(), say('x'), `k${n}`))).toBe('ok')
    expect(codeOf(await outgoing.send(await session(), say('x'), 'k1'))).toBe('ok')
    expect(await outgoing.send(await session(), say('x'), 'k30')).toMatchObject({
      fault: { kind: 'limited', code: 'rate_limited', hint: 'Try again in 60 seconds.' },
    })
    world.clock.advance(60_001)
    expect(codeOf(await outgoing.send(await session(), say('x'), 'k30'))).toBe('ok')
  })

  it('can be edited by any session of the agent group, and by no other', async () => {
    await using world = await open()
    const { session, outgoing, rows, on, group } = await setUp(world)
    const id = sentId(await outgoing.send(await session(), say('done'), 'a'))
    await on.say('another', { messageId: '2.0' })
    const second = (await on.sessions())[1]?.id as SessionId
    expect(codeOf(await outgoing.edit(await session(second), id, 'almost done'))).toBe('ok')
    expect(await rows()).toMatchObject([{ content: expect.stringContaining('almost done'), revision: 2 }])
    const others = await on.group('Ops')
    const bob = await on.member(others, 'U2', 'Bob')
    const foreign = await world.session(bob, { agentGroupId: others })
    expect(codeOf(await outgoing.edit(await session(foreign), id, 'mine'))).toBe('message_not_found')
    expect(codeOf(await outgoing.edit(await session(), 'no-such-id', 'x'))).toBe('message_not_found')
    expect(group).not.toBe(others)
  })

  it('reply to what was sent and what was received; a reaction is added once', async () => {
    await using world = await open()
    const { session, outgoing, rows, chatId, on, group } = await setUp(world)
    await on.wire(await on.chat('C2', { name: 'ops' }), group)
    const elsewhere = await outgoing.send(await session(), say('on it', 'ops', 'last'), 'other')
    expect(elsewhere).toMatchObject({
      fault: { code: 'message_not_found', message: 'reply_to belongs to another chat.' },
    })
    await outgoing.send(await session(), say('on it', null, 'last'), 'a')
    await outgoing.send(await session(), say('still on it', 'dev', '1.0'), 'b')
    expect((await rows()).map(({ thread, reply_to }) => [thread, reply_to])).toEqual([
      ['1.0', '1.0'],
      ['1.0', '1.0'],
    ])
    expect(codeOf(await outgoing.send(await session(), say('x', null, '9.9'), 'c'))).toBe('message_not_found')
    const id = (await rows())[0]?.subject_id ?? ''
    expect(codeOf(await outgoing.react(await session(), id, '👍'))).toBe('message_not_sent')
    const [post] = await world.app.chat.posts.about({ kind: 'sent', id })
    if (!post) throw new Error('nothing was posted')
    await world.app.chat.posts.sent(post.id, { revision: 1, messageId: '1.5' }, iso(world.clock.now()))
    for (const message of [id, id, 'last'])
      expect(codeOf(await outgoing.react(await session(), message, '👍'))).toBe('ok')
    // Rows of the same millisecond come in any order.
    const reactions = (await rows())
      .map(({ content, chat }) => [chat, JSON.parse(content)])
      .filter(([, { kind }]) => kind === 'reaction')
    expect(reactions).toHaveLength(2)
    for (const messageId of ['1.5', '1.0'])
      expect(reactions).toContainEqual([chatId, { kind: 'reaction', emoji: '👍', messageId }])
  })

  it('with a file: within the limit of the platform, never a file with secrets, and not editable', async () => {
    await using world = await open()
    const { session, make, rows } = await setUp(world)
    const posts = createPosts({
      database: world.database,
      outbox: world.app.outbox,
      clock: world.clock,
      platform: async () => ({
        render: (content) => [{ body: content.kind, file: content.kind === 'file' ? content : null }],
        oneAtATimePer: 'thread',
        limits: { fileBytes: 1000 },
      }),
    })
    const outgoing = make(posts)
    const asked: number[] = []
    const file = (inside: string, more: Partial<OutgoingFile> = {}): OutgoingFile => ({
      to: null,
      text: null,
      name: null,
      async read(most) {
        asked.push(most)
        return ok({ inside, bytes: Buffer.from('data') })
      },
      ...more,
    })
    for (const secret of ['.env', 'deploy/id_rsa', '.git/config', 'tls/server.key'])
      expect(codeOf(await outgoing.sendFile(await session(), file(secret), secret)), secret).toBe('path_violation')
    const tooLarge = { ok: false as const, fault: { kind: 'too_large' as const, code: 'file_too_large', message: '' } }
    expect(
      await outgoing.sendFile(await session(), file('a.bin', { read: async () => tooLarge }), 'large'),
    ).toMatchObject({ fault: { code: 'too_large', message: 'The file is larger than 1000 bytes.' } })
    expect(await rows()).toEqual([])
    expect(new Set(asked)).toEqual(new Set([1000]))
    const id = sentId(await outgoing.sendFile(await session(), file('out/report.txt'), 'f'))
    const [sent] = await world.app.chat.posts.about({ kind: 'sent', id })
    if (!sent) throw new Error('nothing was posted')
    expect(await world.app.chat.posts.file(sent.id)).toEqual({ name: 'report.txt', bytes: Buffer.from('data') })
    expect(codeOf(await outgoing.edit(await session(), id, 'x'))).toBe('unsupported')
  })

  it('that failed for good are told to the session once; posts that are not its own are not', async () => {
    await using world = await open()
    const { session, outgoing, on, sessionId, chatId } = await setUp(world)
    const tell = createTellSender(world)
    const id = sentId(await outgoing.send(await session(), say('done'), 'a'))
    const [post] = await world.app.chat.posts.about({ kind: 'sent', id })
    const card = await on.posted({
      chatId,
      thread: '1.0',
      sessionId,
      subject: { kind: 'ask', id: 'x' },
      content: { kind: 'text', text: 'a card' },
    })
    if (!post) throw new Error('nothing was posted')
    await tell(card[0], 'channel_not_found')
    await tell(post, 'channel_not_found')
    await tell(post, 'channel_not_found')
    expect((await on.told()).slice(1)).toEqual([`Your message ${id} to dev could not be sent: channel_not_found`])
  })
})

describeUsual('C5 the people who may answer a question', (open) => {
  it('are named by id, identity or name; someone unknown, or a name that several have, is refused', async () => {
    await using world = await open()
    const { session, outgoing, on, group, ann } = await setUp(world)
    const bob = await on.member(group, 'U2', 'Bob')
    const named = async (...names: string[]) => {
      const found = await outgoing.answerers(await session(), names)
      return found.ok ? found.value : found.fault.code
    }
    expect(await named(bob.userId, 'slack:U1', 'bob')).toEqual([bob.userId, ann.userId])
    expect(await named('Nobody')).toBe('unknown_person')
    await on.member(null, 'U4', 'Eve')
    expect(await named('Eve')).toBe('unknown_person')
    await on.member(group, 'U3', 'BOB')
    expect(await named('Bob')).toBe('unknown_person')
    expect(await named()).toBeNull()
    await on.say('and this?', {
      thread: '1.0',
      from: { handle: 'U2', identity: 'slack:U2', name: 'Bob', isBot: false },
    })
    expect(await named()).toEqual([ann.userId, bob.userId])
    expect(await outgoing.answererName(`user:${bob.userId}`)).toBe('Bob')
  })
})
