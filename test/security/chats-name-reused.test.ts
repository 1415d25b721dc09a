import { afterAll, beforeAll, expect, it } from 'vitest'
import { openChatsHarness, type ChatsHarness } from '../conformance/chats/harness.ts'
import { openSlackDriver } from '../conformance/chats/slack-driver.ts'
import { openSlack, type EmulatedSlack } from '../support/chats/slack.ts'

let harness: ChatsHarness
let other: EmulatedSlack
beforeAll(async () => {
  harness = await openChatsHarness(openSlackDriver)
  other = await openSlack()
  other.workspace.teamId = 'T000000002'
})
afterAll(async () => {
  await harness?.[Symbol.asyncDispose]()
  await other?.[Symbol.asyncDispose]()
})

it('C2 the name of an account is not given to another workspace, where ids belong to other people', async () => {
  const { api, instanceId, driver } = harness
  const path = `/api/chat-instances/${instanceId}`
  const elsewhere = {
    credentials: { bot_token: other.tokens.bot, app_token: other.tokens.app },
    settings: other.endpoints,
  }
  expect((await api.refused('PATCH', path, elsewhere)).code).toBe('other_workspace')
  expect((await api.refused('PATCH', path, { ...elsewhere, check: false })).code).toBe('workspace_unknown')
  await api.delete(path)
  const again = { platform: 'slack', name: 'slack' }
  expect((await api.refused('POST', '/api/chat-instances', { ...again, ...elsewhere })).code).toBe('other_workspace')
  expect((await api.refused('POST', '/api/chat-instances', { ...again, ...elsewhere, check: false })).code).toBe(
    'workspace_unknown',
  )
  // The same workspace has the same people.
  const back = { ...again, credentials: driver.credentials, settings: driver.settings }
  expect(await api.post<object>('/api/chat-instances', back)).toMatchObject({ instance: { id: instanceId } })
  await api.post('/api/chat-instances', { ...again, ...elsewhere, name: 'partner' })
})
