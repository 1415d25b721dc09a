import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { until } from '../support/until.ts'
import type { Api } from '../support/api.ts'
import { openMcpHarness, type Agent, type FullAsk, type McpHarness, type McpHarnessOptions } from './mcp-harness.ts'
import { newPerson, type Person } from './people.ts'
import type { Session } from './shapes.ts'
import { newToken } from './work.ts'

export type AdminAsk = FullAsk & {
  kind: string
  answerers: string[] | null
  subjectHash: string | null
  agentGroupId: string | null
  requestedBy: string | null
  circle: string | null
  needed: number
  expiresAt: string | null
  riskLevel: string
}
export type Config = {
  packagesApt: string[]
  packagesNpm: string[]
  mcpServers: Record<string, unknown>
  cliScope: string
  networkHosts: string[]
}
export type Group = { id: string; name: string; folder: string }

/** An agent group, people of every kind, and an agent of the group whose session a member's message began. */
export type AdminHarness = AsyncDisposable & {
  readonly mcp: McpHarness
  readonly owner: Api
  readonly group: Group
  readonly elsewhere: Group
  /** Admin of the group, global admin, admin of another group, member whose message led to everything, and nobody. */
  readonly gina: Person
  readonly gil: Person
  readonly otto: Person
  readonly mel: Person
  readonly stan: Person
  readonly sessionId: string
  /** The token of the group's agent. */
  readonly token: string
  readonly agentApi: Api
  connect(): Promise<Agent>
  ask(id: string): Promise<AdminAsk>
  /** Once it is no longer open, answered or applying. */
  settled(id: string): Promise<AdminAsk>
  grant(person: Person, role: string, group?: Group): Promise<unknown>
  revoke(person: Person, role: string, group?: Group): Promise<unknown>
}

export const packages = { apt: ['jq'], npm: ['typescript@7.0.2'], reason: 'to read JSON' }

export async function openAdminHarness(options: McpHarnessOptions = {}): Promise<AdminHarness> {
  await using stack = new AsyncDisposableStack()
  const mcp = stack.use(await openMcpHarness({ places: 6, ...options }))
  const { server } = mcp
  const place = await mcp.place()
  await promisify(execFile)('git', ['init', '-q', place.path])
  const repo = await mcp.owner.post<{ id: string }>('/api/repos', { path: place.path })
  const make = (name: string) =>
    mcp.owner.post<Group>('/api/agent-groups', { name, agent: 'practice', repoId: repo.id })
  const [group, elsewhere] = [await make('Helpers'), await make('Elsewhere')]
  const role = (person: Person, name: string, of?: Group) =>
    mcp.owner.post(`/api/users/${person.id}/roles`, { role: name, ...(of && { agentGroupId: of.id }) })
  const revoke = (person: Person, name: string, of?: Group) =>
    mcp.owner.delete(`/api/users/${person.id}/roles/${name}${of ? `?agentGroupId=${of.id}` : ''}`)
  const [gina, gil, otto, mel, stan] = [
    await newPerson(server, 'Gina'),
    await newPerson(server, 'Gil'),
    await newPerson(server, 'Otto'),
    await newPerson(server, 'Mel'),
    await newPerson(server, 'Stan'),
  ]
  await role(gina, 'admin', group)
  await role(gil, 'admin')
  await role(otto, 'admin', elsewhere)
  await role(mel, 'machine')
  await mcp.owner.put(`/api/agent-groups/${group.id}/members/${mel.id}`)
  await mel.api.post(`/api/web-chats/${group.id}/messages`, { text: '/say Hello' })
  const session = await until(
    async () => {
      const { sessions } = await mcp.owner.get<{ sessions: (Session & { agentGroupId: string })[] }>('/api/sessions')
      return sessions.find((one) => one.agentGroupId === group.id && one.status === 'active')
    },
    { what: 'the session of the group' },
  )
  const { token } = await newToken(mel.api, { name: 'its agent', scope: 'agent', sessionId: session.id })
  const kept = stack.move()
  const ask = (id: string) => mcp.owner.get<AdminAsk>(`/api/asks/${id}`)
  return {
    mcp,
    get owner() {
      return mcp.owner
    },
    group,
    elsewhere,
    gina,
    gil,
    otto,
    mel,
    stan,
    sessionId: session.id,
    token,
    get agentApi() {
      return server.api(token)
    },
    connect: () => mcp.connect({ token, place: null }),
    ask,
    settled: (id) =>
      until(
        async () => {
          const now = await ask(id)
          return ['open', 'answered', 'applying'].includes(now.status) ? null : now
        },
        { what: `the end of ask ${id}` },
      ),
    grant: role,
    revoke,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
