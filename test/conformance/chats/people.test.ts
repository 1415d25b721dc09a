import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../../support/agents/processes.ts'
import { until } from '../../support/until.ts'
import { newPerson, signIn } from '../people.ts'
import type { Shown, Speaker } from './driver.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatSession, type ChatsHarness } from './harness.ts'

type Stranger = { identity: string; reason: string; messageCount: number }
type Member = { userId: string; addedBy: string | null }

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  let admin: Speaker & { userId: string }
  beforeAll(async () => {
    harness = await openChatsHarness(open, { agent: 'tools', chat: { unknownSenderPolicy: 'request_approval' } })
    admin = await harness.linked('Ada')
    await harness.api.post(`/api/users/${admin.userId}/roles`, { role: 'admin', agentGroupId: harness.groupId })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const use = (name: string, input: object) => `tool ${JSON.stringify({ name, arguments: input })}`
  const strangers = (identity: string) => async () =>
    (await harness.api.list<Stranger>('/api/strangers')).find((one) => one.identity === identity)
  const waitingCard = (about: string) =>
    until(() => admin.direct().find(({ text, buttons }) => buttons.length > 0 && text.includes(about)), {
      what: `a card about ${about} in ${JSON.stringify(admin.direct())}`,
    })
  const answeredCard = ({ id }: Shown) =>
    until(() => admin.direct().find((one) => one.id === id && one.buttons.length === 0), { what: 'the answered card' })
  const sessionsOf = async ({ userId }: { userId: string }) =>
    (await harness.sessions()).filter(({ ownerUserId }) => ownerUserId === userId)
  const members = () => harness.api.list<Member>(`/api/agent-groups/${harness.groupId}/members`)

  // Whoever was let in has no right to the machine, so their agent has to be confined.
  it.skipIf(!sandboxWorks())(
    'C3 an unknown sender waits for an admin, who approves in a direct chat; then the message is answered',
    async () => {
      const eve = harness.driver.person('Eve')
      const root = eve.mentions(use('list_destinations', {}))
      const card = await waitingCard(eve.identity)
      expect(card.buttons.map(({ label }) => label)).toEqual(['Approve', 'Reject'])
      expect([harness.driver.posted(root), eve.toldPrivately()]).toEqual([[], []])
      expect((await strangers(eve.identity)())?.messageCount).toBe(1)
      const chats = await harness.api.list<{ name: string | null; isGroup: boolean }>('/api/chats')
      expect(chats.filter(({ isGroup }) => !isGroup).map(({ name }) => name)).toEqual(['Ada'])
      admin.clicks(card, 'Approve')
      await harness.shown(root, ({ text }) => text.includes('group chat'), 'the answer')
      expect((await answeredCard(card)).text).toContain('Approved by Ada')
      // Let in, so no stranger any more.
      expect(await strangers(eve.identity)()).toBeUndefined()
      const [eveId] = (await members()).filter(({ addedBy }) => addedBy === admin.userId).map(({ userId }) => userId)
      expect((await harness.sessions()).map(({ ownerUserId }) => ownerUserId)).toContain(eveId)
    },
  )

  it('C3 a rejected sender hears nothing, and no admin is asked about them again', async () => {
    const mal = harness.driver.person('Mal')
    const root = mal.mentions('one')
    const card = await waitingCard(mal.identity)
    admin.clicks(card, 'Reject')
    await admin.fills('not one of us')
    expect((await answeredCard(card)).text).toContain('Rejected by Ada')
    const cards = admin.direct().length
    const again = mal.mentions('two')
    const noted = await until(
      async () => {
        const one = await strangers(mal.identity)()
        return one?.messageCount === 2 ? one : undefined
      },
      { what: 'a count' },
    )
    expect(noted.reason).toBe('unknown_sender_rejected')
    expect([...harness.driver.posted(root), ...harness.driver.posted(again), ...mal.toldPrivately()]).toEqual([])
    expect(admin.direct()).toHaveLength(cards)
    expect(harness.driver.directsOpened()).toBeLessThanOrEqual(1)
  })

  it.skipIf(!sandboxWorks())(
    'C3 a mention in a chat where nobody listens asks an admin to wire it; then it is answered',
    async () => {
      const chat = harness.driver.another('annex')
      const fay = harness.driver.person('Fay')
      const root = fay.mentions(use('list_destinations', {}), undefined, chat)
      const card = await waitingCard('listen')
      expect(harness.driver.posted(root, chat)).toEqual([])
      admin.clicks(card, 'Approve')
      const answer = await until(
        () => harness.driver.posted(root, chat).find(({ text }) => text.includes('group chat')),
        { what: 'the answer' },
      )
      expect(answer.text).toContain('ops')
      const chats = await harness.api.list<{ platformId: string; wirings: { engageMode: string }[] }>('/api/chats')
      expect(chats.find(({ platformId }) => platformId.includes(chat))?.wirings).toMatchObject([
        { engageMode: 'mention-sticky' },
      ])
    },
  )

  it('C3 a chat that an admin rejects is denied, and stays silent', async () => {
    const chat = harness.driver.another('pub')
    const gil = harness.driver.person('Gil')
    const root = gil.mentions('hello', undefined, chat)
    const card = await waitingCard('listen')
    admin.clicks(card, 'Reject')
    await admin.fills('not here')
    await answeredCard(card)
    const denied = async () =>
      (await harness.api.list<{ platformId: string; deniedAt: string | null }>('/api/chats')).find(
        (one) => one.platformId.includes(chat) && one.deniedAt !== null,
      )
    await until(denied, { what: 'a denied chat' })
    gil.mentions('again', undefined, chat)
    await until(async () => (await strangers(gil.identity)())?.reason === 'chat_denied', { what: 'a count' })
    expect(harness.driver.posted(root, chat)).toEqual([])
    expect(gil.toldPrivately()).toEqual([])
  })

  it('C2 a code from Signalbox, typed in the chat, links the account of a stranger; a wrong one meets silence', async () => {
    const hal = harness.driver.person('Hal')
    const { id, api } = await newPerson(harness.server, 'Hal')
    hal.commands('link ABCD-2345')
    await until(strangers(hal.identity), { what: 'a count' })
    expect(hal.toldPrivately().join()).not.toMatch(/code|link/i)
    const { code } = await api.post<{ code: string }>('/api/me/link-codes')
    hal.commands(`link ${code}`)
    await until(() => hal.toldPrivately().some((text) => text.includes('You are Hal here')), { what: 'a welcome' })
    const { user } = await api.get<{ user: { id: string; identities: { identity: string }[] } }>('/api/me')
    expect([user.id, JSON.stringify(user)]).toEqual([id, expect.stringContaining(hal.identity)])
  })

  it('C2 a code from the chat, entered in Signalbox, links the account of someone we know; a stranger gets none', async () => {
    const ivy = harness.driver.person('Ivy')
    ivy.commands('link')
    await until(strangers(ivy.identity), { what: 'a count' })
    expect(ivy.toldPrivately().join()).not.toMatch(/code/i)
    const guest = await harness.member('Ivo')
    guest.commands('link')
    const told = await until(() => guest.toldPrivately().find((text) => /[A-Z2-9]{4}-[A-Z2-9]{4}/.test(text)), {
      what: 'a code',
    })
    const [code = ''] = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(told) ?? []
    const other = await newPerson(harness.server, 'Ivo at his desk')
    await other.api.post('/api/identities/claim', { code })
    const { user } = await other.api.get<{ user: unknown }>('/api/me')
    expect(JSON.stringify(user)).toContain(guest.identity)
  })

  it.skipIf(!sandboxWorks())(
    'C2 R2 an account that is linked after it started a session: the person answers and steers it; its owner stays',
    async () => {
      const lea = await harness.linked('Lea')
      await harness.api.put(`/api/agent-groups/${harness.groupId}/members/${lea.userId}`)
      const root = lea.mentions(use('ask_user_question', question))
      const card = await harness.shown(root, ({ buttons }) => buttons.length > 0, 'a card')
      const desk = await newPerson(harness.server, 'Lea at her desk')
      const { code } = await desk.api.post<{ code: string }>('/api/me/link-codes')
      lea.commands(`link ${code}`)
      await until(() => lea.toldPrivately().some((text) => text.includes('You are Lea at her desk')), {
        what: 'a link',
      })
      const mine = (await harness.sessions()).find(({ ownerUserId }) => ownerUserId === lea.userId)
      const lent = async () => (await desk.api.get<{ delegates: string[] }>(`/api/sessions/${mine?.id}`)).delegates
      await until(async () => (await lent()).includes(desk.id), { what: 'the session of the account' })
      lea.clicks(card, 'Deep red')
      await harness.shown(root, ({ text }) => /answered.*red/s.test(text) && text.includes('request_id'), 'the answer')
      await desk.api.post(`/api/sessions/${mine?.id}/prompt`, { text: 'note', when: 'next' })
      expect((await harness.sessions()).find(({ id }) => id === mine?.id)?.ownerUserId).toBe(lea.userId)
    },
  )

  it('C2 who can sign in keeps their sessions, also if somebody else links their account', async () => {
    const mo = await harness.member('Mo')
    const { api } = await signIn(harness.server, mo.userId)
    const root = mo.mentions(use('list_destinations', {}))
    await harness.shown(root, ({ text }) => text.includes('group chat'), 'the answer')
    mo.commands('link')
    const told = await until(() => mo.toldPrivately().find((text) => /[A-Z2-9]{4}-[A-Z2-9]{4}/.test(text)), {
      what: 'a code',
    })
    const [code = ''] = /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(told) ?? []
    const other = await newPerson(harness.server, 'Somebody else')
    await other.api.post('/api/identities/claim', { code })
    const before = await api.get<{ sessions: ChatSession[] }>('/api/sessions')
    expect(before.sessions.length).toBeGreaterThan(0)
    // What follows the claim in the log is there: the link has had its effect.
    await until(async () => JSON.stringify(await harness.api.get('/api/audit?limit=50')).includes('identity.linked'))
    expect((await other.api.get<{ sessions: ChatSession[] }>('/api/sessions')).sessions).toEqual([])
  })

  const question = {
    title: 'Colour',
    question: 'Which colour?',
    options: ['blue', { label: 'Deep red', value: 'red' }],
  }

  it('C12 where several sessions fit, one tap chooses; what was said after the command goes along', async () => {
    const quin = await harness.member('Quin')
    for (const [word, root] of [
      ['amber', quin.mentions('paint-it-amber')],
      ['cobalt', quin.mentions('paint-it-cobalt')],
    ] as const)
      await until(async () => (await sessionsOf(quin)).some(({ prompt }) => prompt?.includes(word)), {
        what: `a session for ${root}`,
      })
    quin.commands('stop paint too slow')
    await until(() => quin.toldPrivately().some((text) => text.includes('Several sessions match')), {
      what: 'a choice',
    })
    await quin.picks(/cobalt/)
    const stopped = () => sessionsOf(quin).then((all) => all.filter(({ status }) => status === 'cancelled'))
    const [only, ...more] = await until(async () => {
      const found = await stopped()
      return found.length > 0 ? found : null
    })
    expect([only?.prompt, more]).toEqual([expect.stringContaining('cobalt'), []])
    await until(() => quin.toldPrivately().some((text) => text.includes('too slow')), { what: 'the reason' })
  })

  it('C5 a question is a card with its options; a button answers it, and the card says who', async () => {
    const joe = await harness.member('Joe')
    const root = joe.mentions(use('ask_user_question', question))
    const card = await harness.shown(root, ({ buttons }) => buttons.length > 0, 'a card')
    expect(card.text).toContain('Which colour?')
    expect(card.buttons.map(({ label }) => label)).toEqual(['blue', 'Deep red'])
    joe.clicks(card, 'Deep red')
    await harness.shown(root, ({ text }) => /answered.*red/s.test(text) && text.includes('request_id'), 'the answer')
    const after = await harness.shown(root, ({ id, buttons }) => id === card.id && buttons.length === 0, 'the card')
    expect(after.text).toContain('Joe')
  })

  it('C5 an agent of a group asks people of that group; nobody else learns of the question', async () => {
    const ned = await harness.member('Ned')
    const out = await newPerson(harness.server, 'Outsider', ['email:out@example.org'])
    const root = ned.mentions(use('ask_user_question', { ...question, answerers: ['email:out@example.org'] }))
    await harness.shown(root, ({ text }) => text.includes('unknown_person'), 'the refusal')
    expect(JSON.stringify(await out.api.get('/api/inbox'))).not.toContain('Which colour')
    const next = ned.mentions(use('ask_user_question', { ...question, answerers: ['Ada'] }))
    await harness.shown(next, ({ buttons }) => buttons.length > 0, 'a card')
  })

  it('C5 words in the thread answer a question: the name of an option, or a text of one’s own', async () => {
    const kim = await harness.member('Kim')
    const root = kim.mentions(use('ask_user_question', question))
    const open = ({ buttons }: Shown) => buttons.length > 0
    const answered =
      (value: RegExp) =>
      ({ text }: Shown) =>
        text.includes('request_id') && value.test(text)
    const first = await harness.shown(root, open, 'a card')
    kim.says('deep red', root)
    await harness.shown(root, answered(/value.{1,10}red/), 'the first answer')
    kim.says(use('ask_user_question', question), root)
    await harness.shown(root, (one) => open(one) && one.id !== first.id, 'another card')
    kim.says('something like teal', root)
    const last = await harness.shown(root, answered(/something like teal/), 'the second answer')
    expect(last.text).toContain('Kim')
  })
})
