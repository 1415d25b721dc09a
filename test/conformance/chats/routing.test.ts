import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../../support/agents/processes.ts'
import { until } from '../../support/until.ts'
import { signIn } from '../people.ts'
import type { SessionDetail } from '../shapes.ts'
import type { Shown, Speaker } from './driver.ts'
import { openChatsHarness, type ChatSession, type ChatsHarness } from './harness.ts'
import { openSlackDriver, type SlackDriver } from './slack-driver.ts'

type Named = { id: string }
type Stranger = { identity: string; reason: string; messageCount: number }
type OpenAsk = { id: string; kind: string; title: string; status: string }
const isUs = ({ text }: Shown) => text.includes('group chat')
const use = `tool ${JSON.stringify({ name: 'list_destinations', arguments: {} })}`

let harness: ChatsHarness<SlackDriver>
beforeAll(async () => {
  harness = await openedHarness()
  const [repo] = await harness.api.list<Named>('/api/repos')
  await harness.api.send('PUT', `/api/repos/${repo?.id}/access`, { body: { everyone: true } })
})
const openedHarness = () =>
  openChatsHarness(openSlackDriver, { agent: 'tools', chat: { unknownSenderPolicy: 'request_approval' } })
afterAll(() => harness?.[Symbol.asyncDispose]())

const strangers = async (identity: string) =>
  (await harness.api.list<Stranger>('/api/strangers')).filter((one) => one.identity === identity)
const openAsks = async (kind: string) =>
  (await harness.api.get<{ asks: OpenAsk[] }>('/api/asks?status=open&limit=100')).asks.filter(
    (one) => one.kind === kind,
  )
/** What its agent was told. */
async function toldTo(session: ChatSession | undefined): Promise<string> {
  if (!session) return ''
  return (await harness.api.get<SessionDetail>(`/api/sessions/${session.id}`)).messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => JSON.stringify(content))
    .join('\n')
}

/** A channel of its own, in which an agent group listens. */
async function channel(name: string, wiring: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const platformId = harness.driver.another(name)
  const chat = await harness.api.post<Named>('/api/chats', {
    channelType: 'slack',
    platformId,
    name,
    isGroup: true,
    instanceId: harness.instanceId,
    ...more,
  })
  const wire = (agentGroupId: string, settings: Record<string, unknown> = {}) =>
    harness.api.post<Named>('/api/wirings', { chatId: chat.id, agentGroupId, engageMode: 'mention', ...settings })
  await wire(harness.groupId, wiring)
  const sessions = async () => (await harness.sessions()).filter((one) => one.channelId === platformId)
  return { id: chat.id, platformId, wire, sessions }
}

/** Another agent group; `agent` that is not there never starts. */
async function newGroup(name: string, agent = 'tools'): Promise<string> {
  const [repo] = await harness.api.list<Named>('/api/repos')
  const { id } = await harness.api.post<Named>('/api/agent-groups', { name, agent, repoId: repo?.id })
  return id
}
const join = (group: string, { userId }: { userId: string }) =>
  harness.api.put(`/api/agent-groups/${group}/members/${userId}`)

const writes = (person: Speaker, to: string, text: string, thread?: string): string => person.mentions(text, thread, to)
/** Without a mention. */
const says = (person: Speaker, to: string, text: string): void => {
  const { slack } = harness.driver
  const user = person.identity.replace('slack:', '')
  const message = { type: 'message', ts: slack.workspace.nextTs(), user, text, channel: to, channel_type: 'channel' }
  void slack.emit({ ...message, event_ts: message.ts })
}

describe('routing', () => {
  it('C3 what people say to each other in a chat that nobody added writes nothing', async () => {
    const cat = await harness.linked('Cat')
    const chat = harness.driver.another('quiet')
    const { slack } = harness.driver
    const person = slack.person('Bystander')
    await person.writes(chat, 'Lunch?').acked
    // Handled in order of arrival: when this one is counted, the other was taken before.
    const other = harness.driver.another('addressed')
    writes(cat, other, 'hello')
    await until(async () => (await openAsks('new_chat')).length > 0, { what: 'an ask about the other chat' })
    const chats = JSON.stringify(await harness.api.list('/api/chats'))
    expect([chats.includes(chat), chats.includes(other)]).toEqual([false, true])
    expect(await strangers(`slack:${person.id}`)).toEqual([])
  })

  it('C3 every agent group that listens gets its own session; one that cannot start does not stop the others', async () => {
    const [good, bad] = [await newGroup('Second'), await newGroup('Broken', 'no-such-agent')]
    const place = await channel('fan-out', { priority: 1 })
    await place.wire(bad, { priority: 3 })
    await place.wire(good, { priority: 2 })
    const dan = await harness.member('Dan')
    await join(good, dan)
    await join(bad, dan)
    const root = writes(dan, place.platformId, use)
    await until(() => harness.driver.posted(root, place.platformId).filter(isUs).length === 2, { what: 'two answers' })
    const made = (await place.sessions()).filter(({ status }) => status === 'active')
    expect(new Set(made.map(({ agentGroupId }) => agentGroupId))).toEqual(new Set([good, harness.groupId]))
  })

  it('C3 accumulate: what was not for the agent wakes nobody, and goes along with the next message; drop forgets it', async () => {
    const [keeps, drops] = [await channel('keeps', { ignoredMessagePolicy: 'accumulate' }), await channel('drops')]
    const eli = await harness.member('Eli')
    for (const place of [keeps, drops]) {
      says(eli, place.platformId, 'the door is green')
      expect(await place.sessions()).toEqual([])
      const root = writes(eli, place.platformId, 'wait')
      await until(async () => (await place.sessions()).length === 1, { what: `a session for ${root}` })
    }
    const [kept] = await keeps.sessions()
    const [dropped] = await drops.sessions()
    await until(async () => (await toldTo(kept)).includes('wait'), { what: 'the message' })
    await until(async () => (await toldTo(dropped)).includes('wait'), { what: 'the message' })
    expect(await toldTo(kept)).toContain('the door is green')
    expect(await toldTo(dropped)).not.toContain('the door is green')
  })

  it('C3 an event that the platform sends twice is handled once', async () => {
    const fay = await harness.member('Fay')
    const { slack } = harness.driver
    const person = fay.identity.replace('slack:', '')
    const message = {
      type: 'message',
      ts: slack.workspace.nextTs(),
      user: person,
      text: `<@${slack.botUser}> wait`,
      channel: harness.driver.chat,
      channel_type: 'channel',
    }
    for (const _time of [1, 2, 3]) await slack.emit({ ...message, event_ts: message.ts }).acked
    const mine = async () => (await harness.sessions()).filter(({ threadTs }) => threadTs === message.ts)
    await until(async () => (await mine()).length > 0, { what: 'a session' })
    const [session] = await mine()
    await until(async () => (await toldTo(session)).includes('wait'), { what: 'the message' })
    expect([(await mine()).length, (await toldTo(session)).split('wait').length - 1]).toEqual([1, 1])
  })
})

describe('sessions', () => {
  it('C3 shared and per-thread have one for each thread, agent-shared one for all chats of its group; each stays the same', async () => {
    const group = await newGroup('Everywhere')
    const gus = await harness.member('Gus')
    await join(group, gus)
    const first = await channel('first', { sessionMode: 'shared', engageMode: 'mention-sticky' })
    const second = await channel('second', { sessionMode: 'per-thread', engageMode: 'mention-sticky' })
    for (const place of [first, second]) {
      const [one, two] = [writes(gus, place.platformId, 'note'), writes(gus, place.platformId, 'note')]
      await until(async () => (await place.sessions()).length === 2, { what: 'two sessions' })
      writes(gus, place.platformId, 'again', one)
      const ofOne = async () => (await place.sessions()).find(({ threadTs }) => threadTs === one)
      await until(async () => (await toldTo(await ofOne())).includes('again'), { what: 'the second message' })
      expect(new Set((await place.sessions()).map(({ threadTs }) => threadTs))).toEqual(new Set([one, two]))
    }
    const places = [await channel('third'), await channel('fourth')]
    for (const place of places) await place.wire(group, { sessionMode: 'agent-shared', priority: 5 })
    for (const place of places) writes(gus, place.platformId, 'everywhere')
    const shared = async () => (await harness.sessions()).filter(({ agentGroupId }) => agentGroupId === group)
    await until(async () => (await toldTo((await shared())[0])).split('everywhere').length === 3, { what: 'both' })
    expect(await shared()).toHaveLength(1)
  })
})

describe('strangers and new chats', () => {
  it('C3 while an admin is asked about a sender, more messages open no other ask; any admin may answer, a stranger with the card not', async () => {
    const admins = [await harness.linked('Ada'), await harness.linked('Abe')] as const
    for (const { userId } of admins)
      await harness.api.post(`/api/users/${userId}/roles`, { role: 'admin', agentGroupId: harness.groupId })
    const hal = harness.driver.person('Hal')
    hal.mentions('one')
    const cardOf = (admin: Speaker) =>
      until(() => admin.direct().find(({ text, buttons }) => text.includes(hal.identity) && buttons.length > 0), {
        what: 'a card',
      })
    const [ada, abe] = [await cardOf(admins[0]), await cardOf(admins[1])]
    hal.mentions('two')
    await until(async () => (await strangers(hal.identity))[0]?.messageCount === 2, { what: 'the second message' })
    const about = async () => (await openAsks('unknown_sender')).filter(({ title }) => title.includes('Hal'))
    expect(await about()).toHaveLength(1)
    // Forwarded or guessed: Slack would send the click of anybody who sees the button.
    const { slack } = harness.driver
    const mal = slack.person('Mal')
    await mal.clicks(ada.chat, ada.id, ada.buttons[0]?.action ?? '').acked
    await until(async () => (await strangers(`slack:${mal.id}`)).length > 0, { what: 'a count' })
    expect(await about()).toHaveLength(1)
    admins[1].clicks(abe, 'Reject')
    await admins[1].fills('no')
    const closed = (admin: Speaker, id: string) =>
      until(() => admin.direct().find((one) => one.id === id && one.buttons.length === 0), { what: 'a closed card' })
    expect((await closed(admins[0], ada.id)).text).toContain('Rejected by Abe')
    expect((await closed(admins[1], abe.id)).text).toContain('Rejected by Abe')
  })

  it('C3 a direct message asks an admin, once; nobody else is told', async () => {
    const { slack } = harness.driver
    const ivy = slack.person('Ivy')
    const chat = ivy.direct()
    const before = (await openAsks('new_chat')).length
    await ivy.writes(chat, 'hello?').acked
    await until(async () => (await openAsks('new_chat')).length === before + 1, { what: 'an ask' })
    await ivy.writes(chat, 'anybody?').acked
    await until(async () => (await strangers(`slack:${ivy.id}`))[0]?.messageCount === 2, { what: 'two messages' })
    expect(await openAsks('new_chat')).toHaveLength(before + 1)
    expect(slack.messages(chat).filter(({ user }) => user === slack.botUser)).toEqual([])
  })

  it.skipIf(!sandboxWorks())(
    'C2 C3 in a public chat anyone may write; the session that they get lets them use nothing else',
    async () => {
      const open = await channel('open', {}, { unknownSenderPolicy: 'public' })
      const kai = harness.driver.person('Kai')
      kai.mentions('note', undefined, open.platformId)
      await until(async () => (await toldTo((await open.sessions())[0])).includes('note'), { what: 'a session' })
      kai.commands('agents')
      await until(() => kai.toldPrivately().length > 0, { what: 'the agents' })
      expect(kai.toldPrivately().join()).toContain('No agents that you can start')
    },
  )

  it('C3 with several agent groups an admin chooses which one listens in a new chat, among those that are theirs', async () => {
    const group = await newGroup('Night shift')
    const [all, one] = [await harness.linked('Olga'), await harness.linked('Omar')]
    await harness.api.post(`/api/users/${all.userId}/roles`, { role: 'admin' })
    await harness.api.post(`/api/users/${one.userId}/roles`, { role: 'admin', agentGroupId: group })
    const chat = harness.driver.another('choice')
    const pat = await harness.member('Pat')
    pat.mentions('hello', undefined, chat)
    const cardOf = (person: Speaker) =>
      until(() => person.direct().find(({ text, buttons }) => text.includes('choice') && buttons.length > 0), {
        what: 'a card',
      })
    const labels = async (person: Speaker) => (await cardOf(person)).buttons.map(({ label }) => label)
    expect(await labels(one)).toEqual(['Night shift', 'Reject'])
    expect(await labels(all)).toEqual(expect.arrayContaining(['Practice', 'Night shift', 'Reject']))
    const ask = (await openAsks('new_chat')).find(({ title }) => title.includes('choice'))
    const shown = (await harness.server.cli('asks', 'show', ask?.id ?? '')).stdout
    expect(shown).toMatch(/answer \S+ approve --group 'Night shift'/)
    // Nobody lets a group listen that is not theirs.
    const { api } = await signIn(harness.server, one.userId)
    const answer = `/api/asks/${ask?.id}/answer`
    expect((await api.refused('POST', answer, { outcome: 'approve', group: 'Practice' })).code).toBe('needs_role')
    expect((await api.refused('POST', answer, { outcome: 'approve', group: 'Nobody' })).status).toBe(400)
    one.clicks(await cardOf(one), 'Night shift')
    const wired = async () =>
      (await harness.api.list<{ agentGroupId: string; chatId: string }>('/api/wirings')).filter(
        ({ agentGroupId }) => agentGroupId === group,
      )
    await until(async () => (await wired()).length === 1, { what: 'the wiring' })
    await until(() => all.direct().some(({ text }) => text.includes('Approved by Omar: Night shift')), {
      what: 'the other card',
    })
  })

  it('C3 without an agent group nobody is asked, and the chat stays silent', async () => {
    await using bare = await openChatsHarness(openSlackDriver)
    const groups = await bare.api.list<Named>('/api/agent-groups')
    for (const { id } of groups) await bare.api.delete(`/api/agent-groups/${id}`)
    const jim = bare.driver.person('Jim')
    const chat = bare.driver.another('empty')
    const root = jim.mentions('hello', undefined, chat)
    const counted = async () =>
      (await bare.api.list<Stranger>('/api/strangers')).find((one) => one.identity === jim.identity)
    await until(counted, { what: 'a count' })
    expect((await bare.api.get<{ asks: OpenAsk[] }>('/api/asks?status=open')).asks).toEqual([])
    expect([bare.driver.posted(root, chat), jim.toldPrivately()]).toEqual([[], []])
  })
})
