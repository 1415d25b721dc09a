import { afterAll, beforeAll, expect, it } from 'vitest'
import { openSlack, type EmulatedSlack } from '../support/chats/slack.ts'
import { until } from '../support/until.ts'
import { openSlackDriver } from '../conformance/chats/slack-driver.ts'
import { openChatsHarness, type ChatsHarness } from '../conformance/chats/harness.ts'

type Named = { id: string }
type Stranger = { identity: string; reason: string }
type Person = { id: string; identities: { identity: string }[] }

let harness: ChatsHarness
let other: EmulatedSlack
let channel: string

beforeAll(async () => {
  harness = await openChatsHarness(openSlackDriver)
  other = await openSlack()
  channel = other.channel('elsewhere')
  const { api } = harness
  const { instance } = await api.post<{ instance: Named }>('/api/chat-instances', {
    platform: 'slack',
    name: 'partner',
    credentials: { bot_token: other.tokens.bot, app_token: other.tokens.app },
    settings: other.endpoints,
  })
  const chat = await api.post<Named>('/api/chats', {
    channelType: 'slack',
    platformId: `partner/${channel}`,
    name: 'elsewhere',
    isGroup: true,
    instanceId: instance.id,
  })
  await api.post('/api/wirings', { chatId: chat.id, agentGroupId: harness.groupId, engageMode: 'mention' })
  await other.connected()
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})

const strangers = () => harness.api.list<Stranger>('/api/strangers')

/** Someone of the other workspace, whose id there is that of a person here. */
function double(identity: string) {
  const id = identity.slice('slack:'.length)
  other.workspace.people.set(id, { id, name: 'Double', token: 'xoxp-double' })
  other.workspace.channels.get(channel)?.members.add(id)
  const inner = () => ({ type: 'message', ts: other.workspace.nextTs(), user: id, channel, channel_type: 'channel' })
  return {
    mentions: (text: string) => other.emit({ ...inner(), text: `<@${other.botUser}> ${text}` }).acked,
    commands: (text: string) =>
      other.deliver('slash_commands', {
        team_id: 'T000000002',
        channel_id: channel,
        channel_name: 'elsewhere',
        user_id: id,
        user_name: 'double',
        command: '/signalbox',
        text,
        trigger_id: `1.2.${id}${text}`,
      }).acked,
  }
}

it('C3 S7 whoever has the same id in another workspace is a stranger there: no agent starts, and no command works', async () => {
  const ann = await harness.member('Ann')
  const mallory = double(ann.identity)
  await mallory.mentions('/write stolen.txt yes')
  await mallory.commands('who')
  const theirs = ann.identity.replace('slack:', 'slack:partner/')
  await until(async () => (await strangers()).find(({ identity }) => identity === theirs), { what: 'a stranger' })
  expect(await harness.sessions()).toEqual([])
  expect(other.ephemerals).toEqual([])
  expect((await strangers()).map(({ identity }) => identity)).not.toContain(ann.identity)
})

it('C12 a person of both workspaces has a direct chat in each, which is opened once', async () => {
  const { api, driver } = harness
  const [here, there] = [driver.person('Carl'), other.person('Carl')]
  const identities = [here.identity, `slack:partner/${there.id}`]
  const user = await api.post<Named>('/api/users', { displayName: 'Carl', identities })
  await api.post(`/api/users/${user.id}/roles`, { role: 'admin' })
  const opened = () => [driver.directsOpened(), other.callsOf('conversations.open').length]
  const before = opened()
  for (const name of ['one', 'two', 'three']) {
    other.person(`Eve ${name}`).writes(other.channel(name), `<@${other.botUser}> hello`)
    const isAsked = (texts: readonly string[]) => texts.some((text) => text.includes(`listen in ${name}`))
    await until(
      () =>
        isAsked(here.direct().map(({ text }) => text)) &&
        isAsked(other.messages(there.direct()).map(({ text }) => text)),
      { what: `a card about ${name} in both workspaces` },
    )
  }
  expect(opened()).toEqual(before.map((count) => count + 1))
  await api.delete(`/api/users/${user.id}`)
})

it('C3 a person of the second workspace is known by its name and gets asks in a direct chat there', async () => {
  const { api } = harness
  const ben = other.person('Ben')
  other.workspace.channels.get(channel)?.members.add(ben.id)
  const identity = `slack:partner/${ben.id}`
  const user = await api.post<Named>('/api/users', { displayName: 'Ben', identities: [identity] })
  await api.post(`/api/users/${user.id}/roles`, { role: 'admin' })
  await api.put(`/api/agent-groups/${harness.groupId}/members/${user.id}`)
  ben.commands(channel, 'who')
  await until(() => other.ephemerals.some((one) => JSON.stringify(one).includes(identity)), { what: 'an answer' })
  expect((await api.get<Person>(`/api/users/${user.id}`)).identities.map((one) => one.identity)).toEqual([identity])
  // A new chat is for admins to decide: he is asked where he is.
  other.person('Eve').writes(other.channel('new'), `<@${other.botUser}> hello`)
  await until(() => other.messages(ben.direct()).some(({ text }) => text.includes('listen in')), { what: 'a card' })
})
