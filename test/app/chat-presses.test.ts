import { expect, it } from 'vitest'
import { alertAction, askAction } from '../../src/app/chat/card-actions.ts'
import type { Reply } from '../../src/app/chat/commands/reply.ts'
import type { AlertId } from '../../src/domain/alert/schema.ts'
import type { AskId } from '../../src/domain/ask/id.ts'
import type { AskSubject } from '../../src/domain/ask/subject.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeUsual, newAsk, type World } from '../world.ts'
import '../support/chats/loopback-guard.ts'
import { chatHarness, sender, type Commanded } from './chat-harness.ts'
import { subjects } from './samples.ts'

const bea = sender('U2', 'Bea')
const eve = sender('U9', 'Eve')

async function asking(world: World, subject: AskSubject = subjects.command, more: object = {}) {
  const on = await chatHarness(world)
  const group = await on.group('Dev')
  const chatId = await on.chat('C1')
  await on.wire(chatId, group, { engageMode: 'mention-sticky' })
  const ann = await on.member(group)
  await on.member(group, 'U2', 'Bea')
  await on.say('go', { messageId: '1.0' })
  const sessionId: SessionId = (await on.sessions())[0]!.id
  // Else a wait is given what was said first.
  await world.database.write.updateTable('queue_items').set({ status: 'delivered' }).execute()
  const ask = await world.ask(sessionId, { subject, ...more })
  const found = async (id: AskId = ask) => {
    const read = await world.app.read.ask(await world.app.read.standing(ann), id)
    return read.ok ? read.value : null
  }
  /** The text that only the sender sees, and the form. */
  const press = async (verb: Parameters<typeof askAction>[1], how: Commanded = {}) => {
    const { reply, form } = await on.press(askAction(ask, verb), how)
    return { said: said(reply), form }
  }
  return { on, group, chatId, ann, sessionId, ask, found, press }
}
const said = (reply: Reply): string | null => {
  if (!reply) return null
  expect(reply.to).toBe('sender')
  return reply.content.kind === 'text' ? reply.content.text : 'card'
}
const nothing = { said: null, form: null }

describeUsual('R3 a button', (open) => {
  it('of the owner answers; of a member it does not, and they are told; of a stranger there is silence', async () => {
    await using world = await open()
    const { on, press, found, ann } = await asking(world)
    const before = await found()
    expect(await press('approve', { from: eve })).toEqual(nothing)
    expect(await on.strangers()).toMatchObject([{ user_id: 'slack:U9', n: 1 }])
    expect((await press('approve', { from: bea })).said).toMatch(/^Only the owner of the session can do this\./)
    expect((await press('reject', { from: bea, forms: true })).form).toBeNull()
    await on.member(await on.group('Other'), 'U7', 'Gil')
    expect((await press('approve', { from: sender('U7', 'Gil') })).said).toMatch(
      /^Only the owner of the session can do this\. Ask Ann/,
    )
    expect(await found()).toEqual(before)
    expect(await press('approve')).toEqual(nothing)
    expect(await found()).toMatchObject({ answer: { outcome: 'approve' }, answeredBy: `user:${ann.userId}` })
  })

  it('that comes twice answers once; a second one is told who was first, and how', async () => {
    await using world = await open()
    const { press, found } = await asking(world)
    const once = { inboxId: newId<never>() }
    expect(await press('approve', once)).toEqual(nothing)
    expect(await press('approve', once)).toEqual(nothing)
    expect((await press('reject', { forms: true })).said).toBe(
      'Already answered by Ann: Approved. Nothing was changed.',
    )
    expect(await found()).toMatchObject({ answer: { outcome: 'approve' } })
  })

  it('of an ask that expired, or was withdrawn, says so', async () => {
    await using world = await open()
    const { on, press, ask, sessionId, ann } = await asking(world)
    await world.do({ type: 'ask.cancel', id: ask, reason: null }, ann)
    expect((await press('approve')).said).toBe('This ask was withdrawn.')
    const next = newAsk(sessionId, { timeoutSeconds: 5 })
    await world.do({ type: 'ask.open', ask: next })
    world.clock.advance(6000)
    await world.do({ type: 'ask.expire', id: next.id })
    expect(said((await on.press(askAction(next.id, 'approve'))).reply)).toBe('This ask expired before it was answered.')
  })

  it('to reject opens a form where it can; else it rejects, and says how to give a reason', async () => {
    await using world = await open()
    const { on, press, ask, found, sessionId } = await asking(world)
    const { form } = await press('reject', { forms: true })
    expect(form).toEqual({
      action: askAction(ask, 'reject'),
      title: 'Reject',
      label: 'Reason (optional)',
      submit: 'Reject',
    })
    expect((await found())?.status).toBe('open')
    expect(said((await on.press(form!.action, { from: bea, text: 'no' })).reply)).toMatch(/^Only the owner/)
    expect(said((await on.press(form!.action, { from: eve, text: 'no' })).reply)).toBeNull()
    expect(said((await on.press(form!.action, { text: ' needs a test ' })).reply)).toBeNull()
    expect(await found()).toMatchObject({ answer: { outcome: 'reject', reason: 'needs a test' } })
    const next = await world.ask(sessionId)
    expect(said((await on.press(askAction(next, 'reject'))).reply)).toMatch(
      /^Rejected without a reason\..*`reject REASON`$/,
    )
    expect(await found(next)).toMatchObject({ answer: { outcome: 'reject', reason: null } })
  })

  it('to refine needs text: by a form, or in words', async () => {
    await using world = await open()
    const { on, press, found, ask } = await asking(world, subjects.prompt)
    expect((await press('refine')).said).toMatch(/`refine WHAT TO DO INSTEAD`$/)
    expect((await press('refine', { forms: true })).form).toMatchObject({ label: 'What should the agent do instead?' })
    expect(said((await on.press(askAction(ask, 'refine'), { text: ' ' })).reply)).toMatch(/^Refine needs text/)
    expect((await found())?.status).toBe('open')
    await on.press(askAction(ask, 'refine'), { text: 'only the docs' })
    expect(await found()).toMatchObject({ answer: { outcome: 'refine', instruction: 'only the docs' } })
  })

  const fitting: [Parameters<typeof askAction>[1], AskSubject, object][] = [
    ['continue', subjects.prompt, { outcome: 'continue' }],
    ['stop', subjects.prompt, { outcome: 'stop', reason: null }],
    ['resume', subjects.wait, { outcome: 'resume', instruction: null }],
    ['decline', subjects.elicitation, { outcome: 'decline', reason: null }],
    [1, subjects.permission, { outcome: 'select', optionId: 'no' }],
    [0, { ...subjects.question, options: [{ label: 'Blue', value: 'b' }] }, { outcome: 'reply', value: 'b' }],
    [0, { ...subjects.terminal_prompt, suggestedInputs: ['y'] }, { outcome: 'reply', value: 'y' }],
  ]
  it.each(fitting)('%s answers a fitting ask', async (verb, subject, answer) => {
    await using world = await open()
    const { press, found } = await asking(world, subject)
    expect(await press(verb)).toEqual(nothing)
    expect(await found()).toMatchObject({ answer })
  })

  it('that no card has does nothing', async () => {
    await using world = await open()
    const { on, press, found } = await asking(world)
    for (const verb of ['continue', 7] as const) expect((await press(verb)).said).toBe('This button no longer works.')
    expect(said((await on.press('nonsense')).reply)).toBe('This button no longer works.')
    expect(said((await on.press('nonsense', { text: 'x' })).reply)).toBe('This button no longer works.')
    expect((await found())?.status).toBe('open')
  })

  it('B4 counts as one vote, and says how many are missing', async () => {
    await using world = await open()
    const low = { needed: 2, reviewers: ['slack:U2'] }
    world.settings = { ...world.settings, routing: { low, high: low, critical: low } }
    const { press, found } = await asking(world)
    expect((await press('approve')).said).toBe('1 of 2 approvals. 1 more approval needed.')
    expect((await press('approve')).said).toMatch(/^You have already approved this ask/)
    expect((await found())?.status).toBe('open')
    expect(await press('approve', { from: bea })).toEqual(nothing)
    expect((await found())?.status).toBe('answered')
  })
})

describeUsual('R16 the buttons of an alert', (open) => {
  it('nudge, stop and dismiss for the owner alone', async () => {
    await using world = await open()
    const { on, group, ann } = await asking(world)
    const sessionId = await world.session(ann, { agentGroupId: group })
    world.clock.advance(301_000)
    const id = newId<AlertId>()
    await world.do({ type: 'alert.raise', id, sessionId, cause: 'silent' })
    const press = async (verb: 'nudge' | 'stop' | 'dismiss', from = sender('U1', 'Ann')) =>
      said((await on.press(alertAction(id, verb), { from })).reply)
    for (const verb of ['nudge', 'stop', 'dismiss'] as const) {
      expect(await press(verb, bea)).toMatch(/^Only the owner/)
      expect(await press(verb, eve)).toBeNull()
    }
    expect(await press('nudge')).toBeNull()
    expect((await on.told()).at(-1)).toBe('Please go on.')
    expect(await press('dismiss')).toBeNull()
    expect(await press('stop')).toBe('This alert is closed. Nothing was changed.')
    expect((await on.sessions()).find((one) => one.id === sessionId)?.status).toBe('active')
  })
})

describeUsual('words in a thread', (open) => {
  const inThread = { thread: '1.0', mention: false }

  it('choose an option by its name or number, and answer a question in free text', async () => {
    await using world = await open()
    const options = [
      { label: 'Blue', value: 'b' },
      { label: 'Green', value: 'g' },
    ]
    const question: AskSubject = { kind: 'question', question: 'Which?', options, freeText: true }
    const { on, sessionId, found, ask } = await asking(world, question)
    await on.say('2', inThread)
    expect(await found(ask)).toMatchObject({ answer: { value: 'g' } })
    const next = await world.ask(sessionId, { subject: question })
    await on.say('rather red', { ...inThread, from: bea })
    expect((await on.told()).at(-1)).toBe('Bea: rather red')
    await on.say('rather red', inThread)
    expect(await found(next)).toMatchObject({ answer: { value: 'rather red' } })
    expect((await on.told()).filter((text) => text === 'Ann: rather red')).toEqual([])
  })

  it('that fit several asks say which are open', async () => {
    await using world = await open()
    const { on, sessionId } = await asking(world, subjects.command, { title: 'Run make?' })
    world.clock.advance(1000)
    await world.ask(sessionId, { title: 'Run tests?' })
    const taken = await on.say('approve', inThread)
    expect(taken?.deliveries[0]?.fault).toMatchObject({
      message: '2 asks are open: "Run make?", "Run tests?".',
      hint: 'Use the buttons of the one you mean, or reply to its card.',
    })
  })

  it('in reply to a card that was answered, or is not theirs, are told so and never reach the agent', async () => {
    await using world = await open()
    const { on, chatId, sessionId, ask } = await asking(world, { ...subjects.terminal_prompt, secret: true })
    const card = async (id: AskId, at: string) => {
      const content = { kind: 'text' as const, text: 'May I?' }
      const [post] = await on.posted({ chatId, thread: '1.0', sessionId, subject: { kind: 'ask', id }, content })
      await world.app.chat.posts.sent(post.id, { revision: post.revision, messageId: at }, '2030')
    }
    await card(ask, '1.1')
    expect(await on.say('answer hunter2', { ...inThread, replyTo: '1.1' })).toMatchObject({
      status: 'ignored',
      fault: { code: 'secret_in_chat' },
    })
    const command = await world.ask(sessionId)
    await card(command, '1.2')
    const approve = (from = sender('U1', 'Ann')) => on.say('approve', { ...inThread, replyTo: '1.2', from })
    expect(await approve(bea)).toMatchObject({ status: 'failed', fault: { code: 'not_owner' } })
    expect(await approve()).toMatchObject({ status: 'done' })
    expect(await approve()).toMatchObject({ status: 'failed', fault: { code: 'already_answered' } })
    expect(await on.told()).toEqual(['Ann: go'])
    expect(JSON.stringify(await world.tables())).not.toContain('hunter2')
  })
})
