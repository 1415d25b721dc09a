import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '../../support/api.ts'
import { openPushService, type PushService } from '../../support/push-service.ts'
import { startServer, type DatabaseKind, type Server } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { lookInto, type Look } from '../../conformance/look.ts'
import { me, newPerson, signIn, type Person } from '../../conformance/people.ts'
import type { Session, SessionPage, Token } from '../../conformance/shapes.ts'
import { newToken } from '../../conformance/work.ts'
import { people, type CallerName, type PersonName } from './callers.ts'

/** What every terminal prints at its start. */
export const printed = 'a-word-to-be-found'

/** Something a row is about, and the agent's token that belongs to it. */
export type Subject = { readonly id: string; readonly agentToken: string }

/** One server with every kind of caller, and the subjects that rows need. */
export type MatrixSetup = AsyncDisposable & {
  readonly server: Server
  readonly owner: Api
  readonly look: Look
  readonly push: PushService
  readonly persons: Readonly<Record<PersonName, Person>>
  readonly group: string
  /** Whether the role machine exists. */
  readonly hasMachine: boolean
  readonly folder: string
  /** A directory that is not a repo. */
  readonly free: string
  /** Everyone may use the first, only `self` (and admins) the second. */
  readonly repo: { readonly id: string; readonly path: string }
  readonly closedRepo: { readonly id: string; readonly path: string }
  /** What `self` created while they had the role machine. */
  readonly terminal: Subject
  /** More of them, to be ended. */
  readonly terminals: Subject[]
  readonly freeSession: Subject
  /** A session of an agent this server hosts. */
  readonly hosted: Subject
  /** A session of the person with the role machine, delegated to `dlg`. */
  readonly machineSession: Subject
  /** A terminal of theirs, of the group and delegated to `dlg`. */
  readonly machineTerminal: Subject
  /** Two more sessions of `self`: of the agents `agnt` (for rows without another subject) and `othr`. */
  readonly some: Subject
  readonly other: Subject
  /** The agents' tokens of the sessions that are shared with everyone they can be shared with. */
  readonly agents: ReadonlyMap<string, string>
  /** Of another login of `self`, which may be ended. */
  readonly spareCookie: string
  directory(): Promise<string>
  newRepo(): Promise<string>
  /** Puts a session of `self` into the group, and delegates it to `dlg`. */
  share(id: string): Promise<Subject>
  /** A new session of `self`: in the repo or another one, of the group, delegated to `dlg`. */
  session(repoId?: string): Promise<Subject>
  /** Ends every agent but that of `hosted`: each is a process or three, in a sandbox. */
  endAgents(): Promise<void>
  /** The credentials of a caller who asks about this subject. */
  headers(caller: CallerName, subject: Subject | null): Record<string, string>
  api(caller: CallerName, subject?: Subject | null): Api
}

const quiet = '[stall]\nenabled = false\n'

/** `clocks`: the part of the configuration that sets when Signalbox acts automatically. */
export async function openMatrixSetup(database: DatabaseKind = 'sqlite', clocks = quiet): Promise<MatrixSetup> {
  await using stack = new AsyncDisposableStack()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sbx-')))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(folder, 'home')
  await mkdir(home)
  const free = join(folder, 'free')
  await mkdir(free)
  await mkdir(join(folder, 'logs'))
  await writeFile(join(folder, 'logs', 'build.log'), 'built\n')
  await writeFile(join(folder, 'patterns.json'), '{"patterns":[]}')
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside', 'private.log'), 'private\n')
  const push = stack.use(await openPushService())
  const open = await newRepoAt(join(folder, 'repos', 'open'))
  const config = `max_concurrent_sessions = 100000
agent_workspace_root = ${JSON.stringify(folder)}
workspace_root = ${JSON.stringify(open)}
[acp]
max_sessions = 1000
[mcp]
hold_seconds = 1
[http]
trusted_proxies = ["loopback"]
[terminal]
watch_roots = [${JSON.stringify(join(folder, 'logs'))}]
ask_after_seconds = 3600
[push]
allow_private_endpoints = true
subject = "mailto:ops@example.org"
[commands]
mark = "touch ran"
${clocks}`
  const server = stack.use(await startServer({ database, config, env: { HOME: home } }))
  const look = stack.use(await lookInto(server))
  const owner = alone(server.api())
  const persons = await newPeople(server)
  const [group, otherGroup] = [randomUUID(), randomUUID()]
  const at = new Date().toISOString()
  const groupRow = 'insert into agent_groups (id, name, folder, created_at) values (?, ?, ?, ?)'
  const configRow = 'insert into container_configs (agent_group_id, updated_at) values (?, ?)'
  for (const id of [group, otherGroup]) {
    await look.change(groupRow, id, `Group ${id}`, id, at)
    await look.change(configRow, id, at)
  }
  const adminOf = (person: Person, agentGroupId: string) =>
    owner.post(`/api/users/${person.id}/roles`, { role: 'admin', agentGroupId })
  await adminOf(persons.gadm, group)
  await adminOf(persons.oadm, otherGroup)
  await owner.put(`/api/agent-groups/${group}/members/${persons.memb.id}`)
  await owner.post(`/api/users/${persons.adm.id}/roles`, { role: 'admin' })
  const machine = (userId: string) => owner.send('POST', `/api/users/${userId}/roles`, { body: { role: 'machine' } })
  const hasMachine = (await machine(persons.mach.id)).status === 201
  const { self, dlg } = persons
  const register = (path: string) => owner.post<{ id: string; path: string }>('/api/repos', { path })
  const repo = await register(open)
  const closedRepo = await register(await newRepoAt(join(folder, 'repos', 'closed')))
  await owner.send('PUT', `/api/repos/${closedRepo.id}/access`, {
    body: { everyone: false, users: [self.id], agentGroups: [] },
  })

  let places = 0
  const directory = async () => {
    places += 1
    const path = join(folder, `place-${places}`)
    await mkdir(path)
    return path
  }

  const command = ['sh', '-c', `echo ${printed}; exec cat`]
  const cat = { sessionType: 'script', command, cwd: folder, name: 'of the matrix' }

  const agents = new Map<string, string>()
  /** Adds someone's session to the group, and delegates it. */
  async function shared(id: string, by: Person): Promise<Subject> {
    await look.change('update sessions set agent_group_id = ? where id = ?', group, id)
    await by.api.put(`/api/sessions/${id}/delegates/${dlg.id}`)
    const { token } = await newToken(by.api, { name: 'of a session', scope: 'agent', sessionId: id })
    agents.set(id, token)
    return { id, agentToken: token }
  }
  /** A terminal; the agent belongs to a session of the same person, and has no grant. */
  async function newTerminal(by: Person, agentToken: string): Promise<Subject> {
    const { sessionId } = await by.api.post<{ sessionId: string }>('/api/terminals', cat)
    return { ...(await shared(sessionId, by)), agentToken }
  }

  const start = (api: Api, more: Record<string, unknown>) =>
    api.post<Session>('/api/sessions', { protocolMode: 'mcp', prompt: 'Mend the roof', ...more })
  const session = async (repoId = repo.id) => shared((await start(self.api, { repoId })).id, self)

  // What needs the role is made while `self` has it.
  if (hasMachine) await machine(self.id)
  const [other, some] = [await session(), await session()]
  const terminals: Subject[] = []
  for (let n = 0; n < 24; n += 1) {
    terminals.push(await newTerminal(self, some.agentToken))
  }
  const terminal = terminals.shift() ?? nothing
  const inFree = await start(self.api, { workspaceRoot: await directory() })
  const freeSession = await shared(inFree.id, self)
  if (hasMachine) await owner.delete(`/api/users/${self.id}/roles/machine`)
  const ofMachine = await start(persons.mach.api, { repoId: repo.id })
  await persons.mach.api.put(`/api/sessions/${ofMachine.id}/delegates/${dlg.id}`)
  const ofItsAgent = await newToken(persons.mach.api, { name: 'm', scope: 'agent', sessionId: ofMachine.id })
  const machineTerminal = await newTerminal(persons.mach, ofItsAgent.token)
  agents.delete(machineTerminal.id)
  const machineSession = { id: ofMachine.id, agentToken: ofItsAgent.token }
  const practice = await start(self.api, { protocolMode: 'acp', agent: 'practice', repoId: repo.id, prompt: undefined })
  const hosted = await shared(practice.id, self)
  await until(async () => (await owner.get<Session>(`/api/sessions/${hosted.id}`)).status === 'active', {
    what: 'the practice agent',
  })

  const text = async () => (await owner.get<{ text: string }>(`/api/terminals/${terminal.id}/updates`)).text
  await until(async () => (await text()).includes(printed), { what: 'the words of the terminal' })
  const tokens = await otherTokens(server, self, look)
  const identities = new Map<CallerName, Record<string, string>>([
    ...people.map((name) => [name, bearer(persons[name].token)] as const),
    ...tokens,
    ['othr', bearer(other.agentToken)],
    ['cook', { cookie: cookieOf(self), origin: server.address }],
  ])

  let guesses = 0
  function headers(caller: CallerName, subject: Subject | null): Record<string, string> {
    guesses += 1
    // Failures are counted by address, so each caller has another one.
    const from = { 'x-forwarded-for': `10.${(guesses >> 16) & 255}.${(guesses >> 8) & 255}.${guesses & 255}` }
    const known = caller === 'agnt' ? bearer(subject?.agentToken || some.agentToken) : identities.get(caller)
    const dead = ['rvkd', 'expd', 'rmvd', 'none', 'cook'].includes(caller)
    return { connection: 'close', ...known, ...(dead && from) }
  }

  const spareCookie = cookieOf(await signIn(server, self.id))
  // No caller in the table has a complete login; this one makes its end visible.
  const { login } = await signIn(server, self.id)
  await server.tcp({ ...login, origin: server.address }).post('/api/logout')
  const kept = stack.move()
  return {
    server,
    owner,
    look,
    push,
    persons,
    group,
    hasMachine,
    folder,
    free,
    repo,
    closedRepo,
    terminal,
    terminals,
    freeSession,
    hosted,
    machineSession,
    machineTerminal,
    some,
    other,
    agents,
    spareCookie,
    directory,
    newRepo: async () => newRepoAt(join(await directory(), 'repo')),
    async endAgents() {
      const { sessions } = await owner.get<SessionPage>('/api/sessions?protocol=acp&status=active&limit=100')
      for (const { id, ownerUserId } of sessions.filter((one) => one.id !== hosted.id))
        await Object.values(persons)
          .find((person) => person.id === ownerUserId)
          ?.api.delete(`/api/sessions/${id}`)
    },
    share: (id) => shared(id, self),
    session,
    headers,
    api: (caller, subject = null) => server.tcp(headers(caller, subject)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** The cookie of a login, without the key it requires. */
const cookieOf = ({ login }: Person): string => login.cookie

const nothing: Subject = { id: '', agentToken: '' }
/** A new connection for each request: a kept one may be closed just as it is used again. */
const alone = (api: Api): Api => api.as({ connection: 'close' })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function newPeople(server: Server): Promise<MatrixSetup['persons']> {
  const made = await Promise.all(people.slice(1).map((name) => newPerson(server, `Person ${name}`)))
  const { token } = await newToken(server.api(), { name: 'own' })
  const login = { cookie: '', 'x-signalbox-key': '' }
  const owner: Person = { id: await me(server.api()), api: server.api(token), token, login }
  const all = [owner, ...made]
  for (const person of all) person.api = alone(person.api)
  return Object.fromEntries(people.map((name, n) => [name, all[n]])) as MatrixSetup['persons']
}

/** Tokens of `self` with less scope, or revoked; and one of a removed person. */
async function otherTokens(server: Server, self: Person, look: Look) {
  const make = (more: Record<string, unknown>) => newToken(self.api, { name: 'of self', ...more })
  const [reader, loose, revoked, expired] = [
    await make({ scope: 'read' }),
    await make({ scope: 'agent' }),
    await make({}),
    (await make({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() })) as Token & { id: string },
  ]
  await self.api.delete(`/api/tokens/${revoked.id}`)
  await look.change('update tokens set expires_at = ? where id = ?', '2020-01-01T00:00:00.000Z', expired.id)
  const gone = await newPerson(server, 'Somebody who left')
  await server.api().delete(`/api/users/${gone.id}`)
  return [
    ['read', bearer(reader.token)],
    ['loos', bearer(loose.token)],
    ['rvkd', bearer(revoked.token)],
    ['expd', bearer(expired.token)],
    ['rmvd', bearer(gone.token)],
  ] as const
}

async function newRepoAt(path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'roof.txt'), 'a hole\n')
  const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args], { stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '--quiet', '-m', 'begin')
  return path
}
