import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openMcpHarness, type McpHarness } from './mcp-harness.ts'
import { newPerson } from './people.ts'

const asked = { title: 'Colour', question: 'Which colour?' }
const colours = ['blue', { label: 'Red as a rose', value: 'red' }]

let harness: McpHarness
beforeAll(async () => {
  harness = await openMcpHarness()
})
afterAll(() => harness?.[Symbol.asyncDispose]())

describe('ask_user_question', () => {
  it('C5 is an ask like any other, and its answer comes back with the name of who gave it', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_user_question', { ...asked, options: colours })
    expect(ask).toMatchObject({
      kind: 'question',
      title: 'Colour',
      answerers: null,
      subject: {
        question: 'Which colour?',
        freeText: true,
        options: [
          { label: 'blue', value: 'blue' },
          { label: 'Red as a rose', value: 'red' },
        ],
      },
    })
    const inbox = await harness.owner.get<{ entries: unknown[] }>('/api/inbox')
    expect(JSON.stringify(inbox)).toContain(ask.id)
    await harness.answer(ask, { outcome: 'reply', value: 'red' })
    const { user } = await harness.owner.get<{ user: { displayName: string } }>('/api/me')
    expect(await done).toEqual({
      status: 'answered',
      value: 'red',
      by: user.displayName,
      request_id: ask.id,
      isError: false,
    })
  })

  it('C5 without free text takes only the options; declined says so', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_user_question', { ...asked, options: colours, free_text: false })
    const path = `/api/asks/${ask.id}/answer`
    expect((await harness.owner.refused('POST', path, { outcome: 'reply', value: 'green' })).status).toBe(400)
    await harness.answer(ask, { outcome: 'decline', reason: 'ask Bob' })
    expect(await done).toMatchObject({ status: 'answered', declined: true, reason: 'ask Bob' })
  })

  it('C5 names who may answer: they can, others cannot, and unknown people are refused', async () => {
    await using agent = await harness.connect()
    const bob = await newPerson(harness.server, 'Bob', ['email:bob@example.com'])
    const eve = await newPerson(harness.server, 'Eve')
    const { ask, done } = await agent.begin('ask_user_question', { ...asked, answerers: ['email:bob@example.com'] })
    const path = `/api/asks/${ask.id}/answer`
    const reply = { outcome: 'reply', value: 'green' }
    expect((await eve.api.refused('POST', path, reply)).status).toBe(404)
    await bob.api.post(path, reply)
    expect(await done).toMatchObject({ status: 'answered', value: 'green', by: 'Bob' })
    expect(await agent.call('ask_user_question', { ...asked, answerers: ['Nobody'] })).toMatchObject({
      isError: true,
      error_code: 'unknown_person',
    })
  })

  it('C5 survives a crash; a client without progress gets pending and asks again by request_id', async () => {
    await using agent = await harness.connect()
    const pending = await agent.call('ask_user_question', asked)
    expect(pending).toMatchObject({ status: 'pending', request_id: expect.any(String) })
    await harness.crash()
    const id = String(pending['request_id'])
    await harness.answer({ id }, { outcome: 'reply', value: 'green' })
    expect(await agent.call('ask_user_question', { request_id: id })).toMatchObject({
      status: 'answered',
      value: 'green',
    })
  })

  it('C5 expires; a late answer becomes a message to the session, once', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_user_question', { ...asked, timeout_seconds: 1 })
    expect(await done).toMatchObject({ status: 'timeout', request_id: ask.id })
    const path = `/api/asks/${ask.id}/answer`
    await harness.owner.post(path, { outcome: 'reply', value: 'green' })
    expect((await harness.owner.refused('POST', path, { outcome: 'reply', value: 'red' })).status).toBe(409)
    expect((await harness.ask(ask.id)).status).toBe('expired')
    const text = 'A late answer to your question "Which colour?":\ngreen'
    expect(await harness.queue(agent.sessionId)).toMatchObject([{ text }])
    const steering = await until(
      async () => {
        const beat = await agent.call('heartbeat', {})
        return JSON.stringify(beat['pending_steering'] ?? []).includes('green') ? beat : undefined
      },
      { what: 'the late answer' },
    )
    expect(JSON.stringify(steering['pending_steering'])).toContain('A late answer')
  })

  it.each([
    ['no question', { title: 'x' }, /question/],
    ['no way to answer', { ...asked, free_text: false }, /free_text/],
    ['two options with one value', { ...asked, options: ['a', 'a'] }, /same value/],
    ['an unknown field', { ...asked, urgent: true }, /urgent/],
    ['no time', { ...asked, timeout_seconds: 0 }, /timeout_seconds/],
  ])('C5 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('ask_user_question', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })
})

describe('sending', () => {
  it('C4 a session without a chat has no destinations, and is told so', async () => {
    await using agent = await harness.connect()
    expect(await agent.call('list_destinations')).toMatchObject({ destinations: [], isError: false })
    await agent.place.write('report.txt', 'all good')
    for (const [tool, input] of [
      ['send_message', { text: 'hello' }],
      ['send_message', { text: 'hello', to: 'ops' }],
      ['send_file', { path: 'report.txt' }],
    ] as const)
      expect(await agent.call(tool, input), tool).toMatchObject({ isError: true, error_code: 'unknown_destination' })
    for (const [tool, input] of [
      ['edit_message', { message_id: 'x', text: 'hello' }],
      ['add_reaction', { message_id: 'last', emoji: '👍' }],
    ] as const)
      expect(await agent.call(tool, input), tool).toMatchObject({ isError: true, error_code: 'message_not_found' })
  })
})
