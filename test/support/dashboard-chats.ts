import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { Dashboard } from './dashboard.ts'
import { until } from './until.ts'

type Id = { id: string }

export type DashboardChats = { readonly instance: string; readonly chat: string; readonly group: string }

const instance = '7c0ffee0-0000-4000-8000-000000000001'

/** A chat instance that is stopped, a wired chat, a stranger and a message that was not sent. */
export async function makeChats({ owner, server, repo }: Dashboard): Promise<DashboardChats> {
  const at = new Date().toISOString()
  using database = opened(join(server.home, 'signalbox.db'))
  database.run(
    `insert into chat_instances (id, platform, name, title, credentials, settings, wanted, state, state_error, state_at,
       created_at, updated_at) values (?, 'slack', 'slack', 'Yard Ltd', '', '{}', 'stopped', 'refused',
       'Slack refuses the token: invalid_auth', ?, ?, ?)`,
    [instance, at, at, at],
  )
  const group = await owner.post<Id>('/api/agent-groups', { name: 'Dispatcher', agent: 'practice', repoId: repo.id })
  const chat = await owner.post<Id>('/api/chats', {
    channelType: 'slack',
    platformId: 'C0YARD',
    name: 'yard-works',
    isGroup: true,
    instanceId: instance,
  })
  await owner.post('/api/wirings', { chatId: chat.id, agentGroupId: group.id, engageMode: 'mention-sticky' })
  const member = await owner.post<Id>('/api/users', { displayName: 'Mia Conductor' })
  await owner.send('PUT', `/api/agent-groups/${group.id}/members/${member.id}`)
  database.run(
    `insert into unregistered_senders (channel_type, platform_id, user_id, sender_name, reason, messaging_group_id,
       agent_group_id, message_count, first_seen, last_seen)
     values ('slack', 'C0YARD', 'slack:U0GHOST', 'Casper', 'unknown_sender_strict', ?, ?, 3, ?, ?)`,
    [chat.id, group.id, at, at],
  )
  const web = `/api/web-chats/${group.id}/messages`
  await owner.post(web, { text: '/say Heard what was said in the web chat' })
  await until(async () => JSON.stringify(await owner.get(web)).includes('"from":"agent"'), { what: 'a reply' })
  return { instance, chat: chat.id, group: group.id }
}

function opened(path: string) {
  const database = new Database(path, { timeout: 10_000 })
  return {
    run: (sql: string, values: readonly string[]) => void database.prepare(sql).run(...values),
    [Symbol.dispose]: () => void database.close(),
  }
}
