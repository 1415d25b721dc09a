import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guarded } from '../../support/chats/loopback-guard.ts'
import { startServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { openChatsHarness } from './harness.ts'
import { openSlackDriver } from './slack-driver.ts'

type Instance = { state: string; nodeId: string | null }

it('C12 of two nodes one connects an instance; when it is killed the other takes over, and nothing is lost or said twice', async () => {
  let slack: Awaited<ReturnType<typeof openSlackDriver>>['slack'] | undefined
  await using harness = await openChatsHarness(
    async () => {
      const driver = await openSlackDriver()
      slack = driver.slack
      return driver
    },
    { database: 'postgres' },
  )
  const { server, driver, instanceId, folder } = harness
  const config = `workspace_root = ${JSON.stringify(folder)}\n[acp]\nmax_sessions = 1000\n`
  const env = { SIGNALBOX_DATABASE__URL: server.databaseUrl ?? '', HOME: join(folder, 'home'), ...guarded }
  await using other = await startServer({ config, env })
  // Nodes that share a database share the key of the credentials.
  await copyFile(join(server.home, 'chat-key'), join(other.home, 'chat-key'))
  await other.restart()

  const instance = () => other.api().get<Instance>(`/api/chat-instances/${instanceId}`)
  const { nodeId } = await instance()
  const ann = await harness.member('Ann')
  const says = (word: string) => ann.mentions(`/say ${word}`)
  const replies = (root: string, word: string) => driver.posted(root).filter(({ text }) => text.startsWith(word))
  const before = says('before')
  await until(() => replies(before, 'before').length > 0, { what: 'a reply' })
  expect([slack?.sockets.opened(), (await instance()).nodeId]).toEqual([1, nodeId])

  await server.kill('SIGKILL')
  const killed = Date.now()
  const meanwhile = ['one', 'two', 'three'].map((word) => ({ word, root: says(word) }))
  const taken = await until(
    async () => {
      const now = await instance()
      return now.state === 'connected' && now.nodeId !== nodeId ? now : undefined
    },
    { what: 'the other node', seconds: 30 },
  )
  expect(taken.nodeId).not.toBeNull()
  expect(Date.now() - killed).toBeLessThan(15_000)
  for (const { word, root } of meanwhile)
    await until(() => replies(root, word).length > 0, { what: `a reply to ${word}` })
  expect(meanwhile.map(({ word, root }) => replies(root, word).length)).toEqual([1, 1, 1])
  expect(replies(before, 'before')).toHaveLength(1)
})
