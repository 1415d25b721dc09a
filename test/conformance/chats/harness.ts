import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Api } from '../../support/api.ts'
import { guarded } from '../../support/chats/loopback-guard.ts'
import { startServer, type DatabaseKind, type Server } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import type { ChatDriver, Shown, Speaker } from './driver.ts'

const run = promisify(execFile)

type Named = { id: string }
export type ChatSession = {
  id: string
  status: string
  ownerUserId: string
  threadTs: string | null
  threadId: string | null
  channelId: string | null
  agentGroupId: string | null
  prompt: string | null
}

/** Calls tools of ours when it is told to: `tool {"name":…,"arguments":…}`. */
const toolUser = fileURLToPath(new URL('../agents-own-tools.mjs', import.meta.url))

/** A server connected to an emulated platform, with an agent listening in one chat. */
export type ChatsHarness<Driver extends ChatDriver = ChatDriver> = AsyncDisposable & {
  readonly server: Server
  readonly api: Api
  readonly driver: Driver
  readonly groupId: string
  readonly chatId: string
  readonly instanceId: string
  readonly workspace: string
  /** Above the workspace; removed at the end. */
  readonly folder: string
  /** Someone who may write to the agent. */
  member(name: string): Promise<Speaker & { userId: string }>
  /** A person with an account and no membership. */
  linked(name: string): Promise<Speaker & { userId: string }>
  sessions(): Promise<ChatSession[]>
  session(): Promise<ChatSession>
  /** Waits for a message of ours in a conversation. */
  shown(root: string, matches: (message: Shown) => boolean, what: string): Promise<Shown>
  /** The card of an open ask. */
  card(root: string): Promise<Shown>
}

export async function openChatsHarness<Driver extends ChatDriver>(
  open: () => Promise<Driver>,
  options: {
    database?: DatabaseKind
    /** The practice agent, unless it has to use tools. */
    agent?: 'practice' | 'tools'
    chat?: Record<string, unknown>
    wiring?: Record<string, unknown>
    /** More of the configuration. */
    config?: (at: { chat: string; workspace: string }) => string
    env?: Record<string, string>
  } = {},
): Promise<ChatsHarness<Driver>> {
  await using stack = new AsyncDisposableStack()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sbc-')))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const workspace = join(folder, 'work')
  await mkdir(workspace)
  const home = join(folder, 'home')
  await mkdir(home)
  const args = [toolUser, join(folder, 'heard.jsonl'), 'tools', '{"mcpCapabilities":{"http":true}}']
  const tools = `[agents.tools]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\nopen_paths = ${JSON.stringify([folder])}\n`
  const driver = stack.use(await open())
  const server = stack.use(
    await startServer({
      ...(options.database && { database: options.database }),
      config: `workspace_root = ${JSON.stringify(folder)}\n[acp]\nmax_sessions = 1000\n${tools}${options.config?.({ chat: driver.chat, workspace }) ?? ''}`,
      env: { HOME: home, ...guarded, ...options.env },
    }),
  )
  const api = server.api()
  // In a repo that its members may use, a confined agent needs no right to the machine.
  await run('git', ['init', '-q', workspace])
  const repo = await api.post<Named>('/api/repos', { path: workspace })
  const group = await api.post<Named>('/api/agent-groups', {
    name: 'Practice',
    agent: options.agent ?? 'practice',
    repoId: repo.id,
  })
  const access = { everyone: false, agentGroups: [group.id] }
  await api.send('PUT', `/api/repos/${repo.id}/access`, { body: access })
  const { instance } = await api.post<{ instance: Named }>('/api/chat-instances', {
    platform: driver.platform,
    credentials: driver.credentials,
    settings: driver.settings,
  })
  const chat = await api.post<Named>('/api/chats', {
    channelType: driver.platform,
    platformId: driver.chat,
    name: 'ops',
    isGroup: true,
    instanceId: instance.id,
    ...options.chat,
  })
  await api.post('/api/wirings', {
    chatId: chat.id,
    agentGroupId: group.id,
    engageMode: 'mention-sticky',
    ...options.wiring,
  })
  await until(
    async () => (await api.get<{ state: string }>(`/api/chat-instances/${instance.id}`)).state === 'connected',
    {
      what: 'a connection',
    },
  )

  async function linked(name: string) {
    const speaker = driver.person(name)
    const user = await api.post<Named>('/api/users', { displayName: name, identities: [speaker.identity] })
    return { ...speaker, userId: user.id }
  }
  const kept = stack.move()
  const sessions = async () => (await api.get<{ sessions: ChatSession[] }>('/api/sessions?limit=100')).sessions
  const shown: ChatsHarness['shown'] = (root, matches, what) =>
    until(() => driver.posted(root).find(matches), { what: `${what} in ${JSON.stringify(driver.posted(root))}` })
  return {
    server,
    api,
    driver,
    groupId: group.id,
    chatId: chat.id,
    instanceId: instance.id,
    workspace,
    folder,
    linked,
    async member(name) {
      const person = await linked(name)
      // The practice agent runs as the server here.
      await api.post(`/api/users/${person.userId}/roles`, { role: 'machine' })
      await api.put(`/api/agent-groups/${group.id}/members/${person.userId}`)
      return person
    },
    sessions,
    session: async () => until(async () => (await sessions())[0], { what: 'a session' }),
    shown,
    card: (root) => shown(root, ({ buttons }) => buttons.some(({ label }) => label === 'Approve'), 'a card'),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
