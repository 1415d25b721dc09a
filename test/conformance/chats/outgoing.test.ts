import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../support/api.ts'
import { until } from '../../support/until.ts'
import { signIn } from '../people.ts'
import type { SessionDetail } from '../shapes.ts'
import type { Shown } from './driver.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'
import { openSlackDriver } from './slack-driver.ts'

type Letter = { id: string; kind: string; destination: string | null; error: string }
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

const use = (name: string, input: object) => `tool ${JSON.stringify({ name, arguments: input })}`
/** What was sent is the text alone; what the agent says about it is JSON. */
const isSaying =
  (words: string) =>
  ({ text }: Shown) =>
    text.startsWith(words)

/** An agent with tools and a person who tells it, through Signalbox, which one to use. */
async function opened(harness: ChatsHarness) {
  const ann = await harness.member('Ann')
  const root = ann.mentions(use('list_destinations', {}))
  await harness.shown(root, ({ text }) => text.includes('group chat'), 'the destinations')
  const api: Api = (await signIn(harness.server, ann.userId)).api
  const { id } = await harness.session()
  const said = async () =>
    (await api.get<SessionDetail>(`/api/sessions/${id}`)).messages
      .filter(({ role }) => role === 'agent')
      .map(({ content }) => JSON.stringify(content))
  return {
    root,
    async does(tool: string, input: object): Promise<string> {
      const before = (await said()).length
      await api.post(`/api/sessions/${id}/prompt`, { text: use(tool, input), when: 'next' })
      return until(async () => (await said()).slice(before).at(-1), { what: `the result of ${tool}` })
    },
    detail: () => api.get<SessionDetail>(`/api/sessions/${id}`),
  }
}

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  beforeAll(async () => {
    harness = await openChatsHarness(open, { agent: 'tools' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('C4 an agent sends and edits a message where it was asked; without the destination it is refused at once', async () => {
    const agent = await opened(harness)
    const [id = ''] = uuid.exec(await agent.does('send_message', { text: 'Half done' })) ?? []
    const sent = await harness.shown(agent.root, isSaying('Half done'), 'the message')
    await agent.does('edit_message', { message_id: id, text: 'All done' })
    const edited = await harness.shown(agent.root, isSaying('All done'), 'the edited message')
    expect(edited.id).toBe(sent.id)
    const [wiring] = await harness.api.get<{ id: string }[]>('/api/wirings')
    await harness.api.delete(`/api/wirings/${wiring?.id}`)
    expect(await agent.does('send_message', { text: 'Still here', to: 'ops' })).toContain('unknown_destination')
    expect(harness.driver.posted(agent.root).some(isSaying('Still here'))).toBe(false)
  })
})

it('C4 what a closed chat refuses is a dead letter with the name of the chat; the agent is told, and it can be sent again', async () => {
  let slack: Awaited<ReturnType<typeof openSlackDriver>>['slack'] | undefined
  await using harness = await openChatsHarness(
    async () => {
      const driver = await openSlackDriver()
      slack = driver.slack
      return driver
    },
    { agent: 'tools' },
  )
  const agent = await opened(harness)
  const channel = slack?.workspace.channels.get(harness.driver.chat)
  if (!channel) throw new Error('no channel')
  channel.archived = true
  await agent.does('send_message', { text: 'Into the void' })
  const letters = () => harness.api.get<Letter[]>('/api/dead-letters')
  await until(async () => JSON.stringify(await agent.detail()).includes('could not be sent'), { what: 'word of it' })
  const dead = await letters()
  expect(dead.map(({ kind }) => kind)).toContain('message')
  expect(dead.map(({ destination }) => destination).join()).toContain('ops')
  expect(dead.map(({ error }) => error).join()).toContain('is_archived')
  expect((await harness.server.cli('events', 'dead-letters')).stdout).toContain('ops')
  channel.archived = false
  for (const { id } of dead) await harness.api.post(`/api/dead-letters/${id}/retry`)
  await harness.shown(agent.root, isSaying('Into the void'), 'the message')
  expect(harness.driver.posted(agent.root).filter(isSaying('Into the void'))).toHaveLength(1)
})
