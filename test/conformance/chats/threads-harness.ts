import { StreamableHTTPClientTransport, type Client } from '@modelcontextprotocol/client'
import type { Api } from '../../support/api.ts'
import { until } from '../../support/until.ts'
import { callTool, connectClient, sessionOf, type Said } from '../mcp-harness.ts'
import { signIn } from '../people.ts'
import { newToken } from '../work.ts'
import type { Shown, Speaker } from './driver.ts'
import { openChatsHarness, type ChatSession, type ChatsHarness } from './harness.ts'
import { openSlackDriver, type SlackDriver } from './slack-driver.ts'

/** An agent that connects by itself, and whose session has a thread in the channel of its workspace. */
export type Worker = AsyncDisposable & {
  readonly client: Client
  readonly sessionId: string
  /** The message that its thread began with. */
  readonly root: string
  call(tool: string, input?: Record<string, unknown>): Promise<Said>
  /** Held until a person answers. */
  begin(tool: string, input: Record<string, unknown>): Promise<Said>
  session(): Promise<ChatSession>
  /** Says goodbye, and so completes its session. */
  leave(): Promise<void>
}

export type Owner = Speaker & {
  readonly userId: string
  /** For their agents. */
  readonly token: string
  /** What they do in the dashboard. */
  api(): Api
}

export type ThreadsHarness = ChatsHarness<SlackDriver> & {
  /** Someone with an agent's token, and an account in the workspace. */
  owner(name: string): Promise<Owner>
  connect(owner: Owner, place?: string): Promise<Omit<Worker, 'root'>>
  worker(owner: Owner, place?: string): Promise<Worker>
  /** The message in the channel that a session's thread began with. */
  rootOf(sessionId: string): Promise<Shown>
}

const env = {
  SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1000',
  SIGNALBOX_MCP__HOLD_SECONDS: '1',
  SIGNALBOX_TIMEOUTS__STARTUP_GRACE_SECONDS: '0',
}

/** `shop` is mapped to the channel that everybody is in. */
export const mapping = (id: string, chat: string, path: string) =>
  `[[workspace]]\nid = "${id}"\nchannel_id = "${chat}"\npath = "${path}"\n`

export async function openThreadsHarness(more: Record<string, string> = {}): Promise<ThreadsHarness> {
  const harness = await openChatsHarness(openSlackDriver, {
    config: ({ chat, workspace }) => mapping('shop', chat, workspace),
    env: { SIGNALBOX_STALL__ENABLED: 'false', ...env, ...more },
  })
  const { server, api, driver } = harness

  async function connect({ token }: Owner, place = 'shop') {
    const { client, transport } = await connectClient(server, {
      token,
      query: new URLSearchParams({ workspace_id: place }),
    })
    const sessionId = await sessionOf(client)
    return {
      client,
      sessionId,
      call: (tool: string, input: Record<string, unknown> = {}) => callTool(client, tool, input),
      begin(tool: string, input: Record<string, unknown>) {
        const done = callTool(client, tool, input, { held: true })
        done.catch(() => {})
        return done
      },
      session: () => api.get<ChatSession>(`/api/sessions/${sessionId}`),
      async leave() {
        if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
      },
      [Symbol.asyncDispose]: () => client.close(),
    }
  }

  const rootOf = (sessionId: string) =>
    until(
      async () => {
        const { threadTs } = await api.get<ChatSession>(`/api/sessions/${sessionId}`)
        return driver.inChat().find(({ id }) => id === threadTs)
      },
      { what: `the thread of ${sessionId}` },
    )

  return Object.assign(harness, {
    connect,
    rootOf,
    async owner(name: string): Promise<Owner> {
      const person = await harness.member(name)
      const { login, token: full } = await signIn(server, person.userId)
      const own = server.tcp({ ...login, origin: server.address })
      const { token } = await newToken(own, { name: 'an agent', scope: 'agent' })
      return { ...person, token, api: () => server.api(full) }
    },
    async worker(owner: Owner, place?: string): Promise<Worker> {
      const made = await connect(owner, place)
      return { ...made, root: (await rootOf(made.sessionId)).id }
    },
  })
}
