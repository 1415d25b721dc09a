import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
async function opened(harness: ChatsHarness, name = 'Ann') {
  const ann = await harness.member(name)
  const root = ann.mentions(use('list_destinations', {}))
  await harness.shown(root, ({ text }) => text.includes('group chat'), 'the destinations')
  const api: Api = (await signIn(harness.server, ann.userId)).api
  const { id } = await until(
    async () => (await harness.sessions()).find(({ ownerUserId }) => ownerUserId === ann.userId),
    { what: 'a session' },
  )
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

// As fast as possible: a file, a link to the first, a file, a link to the second …
const swapper = `
const fs = require('node:fs')
const [root, ...targets] = process.argv.slice(1)
const put = (make) => { make(root + '/.next'); fs.renameSync(root + '/.next', root + '/notes.txt') }
const work = () => {
  for (const target of targets) {
    put((path) => fs.symlinkSync(target, path))
    put((path) => fs.writeFileSync(path, 'plain notes\\n'))
  }
  setImmediate(work)
}
work()
`

function swapping(root: string, targets: readonly string[]): AsyncDisposable {
  const child = spawn(process.execPath, ['--eval', swapper, root, ...targets], { stdio: 'ignore' })
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => {
        child.once('close', resolve)
      })
      child.kill('SIGKILL')
      await closed
    },
  }
}

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  beforeAll(async () => {
    harness = await openChatsHarness(open, { agent: 'tools' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('C4 an agent sends and edits a message where it was asked', async () => {
    const agent = await opened(harness)
    const [id = ''] = uuid.exec(await agent.does('send_message', { text: 'Half done' })) ?? []
    const sent = await harness.shown(agent.root, isSaying('Half done'), 'the message')
    await agent.does('edit_message', { message_id: id, text: 'All done' })
    const edited = await harness.shown(agent.root, isSaying('All done'), 'the edited message')
    expect(edited.id).toBe(sent.id)
    expect(await agent.does('edit_message', { message_id: id, text: ' ' })).toContain('error_code')
  })

  it('C4 an agent sends a file as it is at that moment, and reacts to the message that it was asked with', async () => {
    const agent = await opened(harness, 'Bea')
    const report = join(harness.workspace, 'report.txt')
    await writeFile(report, 'all good\n')
    await agent.does('send_file', { path: 'report.txt', text: 'The report', filename: '../../result.txt' })
    await writeFile(report, 'changed later\n')
    const sent = await harness.shown(agent.root, ({ files }) => files.length > 0, 'the file')
    expect(sent.files).toEqual(['result.txt'])
    expect(harness.driver.fileContents()).toEqual(['all good\n'])
    const [id = ''] = uuid.exec(await agent.does('send_file', { path: 'report.txt' })) ?? []
    await until(() => harness.driver.fileContents().length === 2, { what: 'the second file' })
    expect(await agent.does('edit_message', { message_id: id, text: 'x' })).toContain("can't be edited")

    await agent.does('add_reaction', { message_id: 'last', emoji: '👍' })
    await until(() => harness.driver.reactions().length > 0, { what: 'a reaction' })
    await agent.does('add_reaction', { message_id: 'last', emoji: '👍' })
    expect(harness.driver.reactions()).toEqual([expect.stringMatching(/^(👍|\+1|thumbsup)$/)])
  })

  it('S2 C4 nothing outside is sent, nor a secret, however a file is swapped while it is read', async () => {
    const agent = await opened(harness, 'Cat')
    const outside = join(harness.folder, 'outside.txt')
    await writeFile(outside, 'outside the workspace\n')
    await writeFile(join(harness.workspace, '.env'), 'TOKEN=a secret\n')
    await writeFile(join(harness.workspace, 'notes.txt'), 'plain notes\n')
    expect(await agent.does('send_file', { path: '../outside.txt' })).toContain('path_violation')
    expect(await agent.does('send_file', { path: '.env' })).toContain('error_code')
    const before = harness.driver.fileContents().length
    const results: string[] = []
    await using _swapping = swapping(harness.workspace, [outside, '.env'])
    for (let round = 0; round < 12; round += 1) results.push(await agent.does('send_file', { path: 'notes.txt' }))
    const sent = results.filter((one) => one.includes('queued')).length
    await until(() => harness.driver.fileContents().length === before + sent, { what: 'what was sent' })
    expect(new Set([...harness.driver.fileContents().slice(before), 'plain notes\n'])).toEqual(
      new Set(['plain notes\n']),
    )
  })

  it('C4 without the destination it is refused at once', async () => {
    const agent = await opened(harness, 'Dan')
    const [wiring] = await harness.api.list<{ id: string }>('/api/wirings')
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
  const letters = () => harness.api.list<Letter>('/api/dead-letters')
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
