import '../support/chats/loopback-guard.ts'
import { expect, it } from 'vitest'
import type { SessionId } from '../../src/domain/session/id.ts'
import { iso } from '../../src/lib/clock.ts'
import { describeUsual, type World } from '../world.ts'
import { chatHarness, sender } from './chat-harness.ts'

const colours = [
  { label: 'Sea blue', value: 'blue' },
  { label: 'Red', value: 'red' },
]

/** A session of Ann in the thread 1.0, and a question of its agent to her and Bob. */
async function asked(world: World, more: { options?: typeof colours; freeText?: boolean; bob?: boolean } = {}) {
  const on = await chatHarness(world)
  const group = await on.group('Dev')
  const chatId = await on.chat('C1')
  await on.wire(chatId, group, { engageMode: 'mention-sticky' })
  const ann = await on.member(group)
  const bob = await on.member(group, 'U2', 'Bob')
  await on.say('paint it', { messageId: '1.0' })
  const sessionId = (await on.sessions())[0]?.id as SessionId
  const { options = [], freeText = true } = more
  const askId = await world.ask(sessionId, {
    subject: { kind: 'question', question: 'Which colour?', options, freeText },
    answerers: more.bob ? [ann.userId, bob.userId] : null,
    timeoutSeconds: 300,
  })
  const [post] = await on.posted({
    chatId,
    thread: '1.0',
    sessionId,
    subject: { kind: 'ask', id: askId },
    content: { kind: 'text', text: 'Which colour?' },
  })
  await world.app.chat.posts.sent(post.id, { revision: 1, messageId: '1.1' }, iso(world.clock.now()))
  const answer = async () =>
    world.database.read.selectFrom('asks').select(['status', 'answer']).where('id', '=', askId).executeTakeFirst()
  const expire = async () => {
    world.clock.advance(301_000)
    await world.do({ type: 'ask.expire', id: askId })
  }
  const told = async () => (await on.told()).slice(1)
  return { on, ann, bob, sessionId, askId, answer, expire, told }
}
const inThread = { thread: '1.0', mention: false }

describeUsual('C5 a question in a chat', (open) => {
  it('is answered by the next words of whoever may answer it; words of others are a message', async () => {
    await using world = await open()
    const { on, answer, told } = await asked(world)
    await on.say('green, of course', { ...inThread, from: sender('U2', 'Bob') })
    expect([await answer(), await told()]).toMatchObject([{ status: 'open' }, ['Bob: green, of course']])
    await on.say('like the sea', inThread)
    expect([await answer(), await told()]).toMatchObject([
      { status: 'answered', answer: expect.stringContaining('like the sea') },
      ['Bob: green, of course'],
    ])
    await on.say('and then?', inThread)
    expect(await told()).toEqual(['Bob: green, of course', 'Ann: and then?'])
  })

  it('with options takes one by its label, value or number; without free text nothing else', async () => {
    for (const [words, value] of [
      ['sea BLUE', 'blue'],
      ['red', 'red'],
      ['2', 'red'],
    ] as const) {
      await using world = await open()
      const { on, answer, told } = await asked(world, { options: colours, freeText: false })
      await on.say('3', inThread)
      expect(await told(), words).toEqual(['Ann: 3'])
      await on.say(words, inThread)
      expect(await answer(), words).toMatchObject({ status: 'answered', answer: expect.stringContaining(value) })
    }
  })

  it('is answered in reply to its card, by everyone who is named', async () => {
    await using world = await open()
    const { on, answer, told } = await asked(world, { bob: true })
    await on.say('green', { replyTo: '1.1', from: sender('U2', 'Bob') })
    expect([await answer(), await told()]).toMatchObject([{ answer: expect.stringContaining('green') }, []])
  })

  it('that has expired: a late answer is an ordinary message, once for each person', async () => {
    await using world = await open()
    const { on, answer, told, expire, bob, ann, askId } = await asked(world, { bob: true })
    await expire()
    await on.say('green', { replyTo: '1.1', from: sender('U2', 'Bob') })
    const late = 'A late answer to your question "Which colour?":\n'
    expect([await answer(), await told()]).toMatchObject([{ status: 'expired', answer: null }, [`${late}green`]])
    const reply = { type: 'ask.answer' as const, id: askId, answer: { outcome: 'reply' as const, value: 'red' } }
    expect((await world.refused(reply, bob)).code).toBe('ask_expired')
    await world.do(reply, ann)
    expect(await told()).toEqual([`${late}green`, `${late}red`])
    const stranger = await world.person('Eve')
    expect((await world.refused(reply, stranger)).kind).toBe('not_found')
  })

  it('whose session has ended, or that was withdrawn, takes no late answer', async () => {
    await using world = await open()
    const { expire, ann, askId, sessionId, told } = await asked(world)
    await expire()
    await world.do({ type: 'session.terminate', id: sessionId, reason: null })
    const reply = { type: 'ask.answer' as const, id: askId, answer: { outcome: 'reply' as const, value: 'red' } }
    expect((await world.refused(reply, ann)).code).toBe('ask_expired')
    expect(await told()).toEqual([])
  })
})
