import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newMachineUser, newPerson, type Person } from './people.ts'
import type { Session } from './shapes.ts'

type Group = { id: string; name: string; folder: string }
type Config = Record<string, unknown> & { agentGroupId: string; budget: unknown }
type Detail = Session & {
  model: string | null
  effort: string | null
  agent: string
  isolation: string
  workspaceRoot: string
  agentState: { configOptions: { id: string; currentValue: unknown }[]; models: { currentModelId: string } | null }
  messages: { role: string; content: { text?: string } }[]
}
type Ask = { id: string; title: string; answerers: string[] | null; status: string; kind: string }

const agentFile = fileURLToPath(new URL('./agents-choices.mjs', import.meta.url))

const defaults = {
  provider: null,
  model: null,
  effort: null,
  imageTag: null,
  assistantName: null,
  maxMessagesPerPrompt: null,
  skills: 'all',
  mcpServers: {},
  packagesApt: [],
  packagesNpm: [],
  additionalMounts: [],
  cliScope: 'group',
  isolation: null,
  limits: { memoryMb: null, cpus: null, pids: null, diskMb: null },
  networkHosts: [],
  providers: [],
  budget: null,
}

describe.each(databases)('agent groups on %s', (database) => {
  let server: Server
  let owner: Api
  let log: string
  beforeAll(async () => {
    log = join(process.env['TMPDIR'] ?? '/tmp', `sbx-choices-${process.pid}-${database}`)
    const agent = (name: string, ...args: string[]) => `[agents.${name}]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([agentFile, log, ...args])}
isolation = "none"
`
    server = await startServer({
      database,
      config: `[acp]\nmax_sessions = 100\n${agent('chooser')}${agent('older', 'models')}`,
    })
    owner = server.api()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const newGroup = (name: string, more = {}) => owner.post<Group>('/api/agent-groups', { name, ...more })
  const configOf = (group: Group, api = owner) => api.get<Config>(`/api/agent-groups/${group.id}/config`)
  const configure = (group: Group, body: object, api = owner) =>
    api.send('PATCH', `/api/agent-groups/${group.id}/config`, { body })
  const instruct = (group: Group, text: string, api = owner) =>
    api.send('PUT', `/api/agent-groups/${group.id}/instructions`, { body: { text } })
  const start = (group: Group, more = {}, api = owner) =>
    api.post<Session>('/api/sessions', { agentGroupId: group.id, ...more })
  const detail = (id: string) => owner.get<Detail>(`/api/sessions/${id}`)
  const heard = (): { method: string; params: Record<string, unknown> }[] =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { method: string; params: Record<string, unknown> })

  it('C1 a new agent group has a container config: the defaults, and what was given', async () => {
    const plain = await newGroup('Plain')
    expect(await configOf(plain)).toMatchObject({ agentGroupId: plain.id, ...defaults })
    const given = {
      model: 'large',
      packagesApt: ['jq'],
      isolation: 'container',
      budget: { costUsd: 5, tokens: null, period: 'day' },
    }
    const full = await newGroup('Full', { config: given })
    expect(await configOf(full)).toMatchObject({ ...defaults, ...given })
    expect((await configure(full, { effort: 'high', budget: null })).body).toMatchObject({
      ...defaults,
      ...given,
      effort: 'high',
      budget: null,
    })
    const forged = { imageTag: 'debian\nRUN id' }
    expect((await owner.refused('PATCH', `/api/agent-groups/${full.id}/config`, forged)).status).toBe(400)
    const wrong = await owner.refused('PATCH', `/api/agent-groups/${full.id}/config`, { packagesApt: ['jq; rm'] })
    expect([wrong.status, wrong.code]).toEqual([400, 'invalid_request'])
    expect((await owner.refused('POST', '/api/agent-groups', { name: 'No', config: { isolation: 'vm' } })).status).toBe(
      400,
    )
  })

  describe('an admin of one group', () => {
    let admin: Person
    let group: Group
    beforeAll(async () => {
      admin = await newMachineUser(server, `Ada ${database}`)
      group = await newGroup('Of Ada')
      await owner.post(`/api/users/${admin.id}/roles`, { role: 'admin', agentGroupId: group.id })
    })

    it.each([
      { isolation: 'none' },
      { isolation: 'container' },
      { additionalMounts: [{ hostPath: '/srv' }] },
      { limits: { memoryMb: 64_000 } },
      { networkHosts: ['example.com'] },
      { providers: ['anthropic'] },
      { imageTag: 'mine' },
      { budget: { costUsd: 1000 } },
      { cliScope: 'global' },
      { mcpServers: { shell: { command: 'sh' } } },
    ])('S1 can not change %j', async (body) => {
      const { status, body: fault } = await configure(group, body, admin.api)
      expect([status, (fault as { error: { code: string } }).error.code]).toEqual([403, 'needs_role'])
      expect(await configOf(group)).toMatchObject(defaults)
    })

    it('C1 changes the rest, and the instructions; members and others see neither', async () => {
      const member = await newPerson(server, `Bob ${database}`)
      const stranger = await newPerson(server, `Eve ${database}`)
      await owner.put(`/api/agent-groups/${group.id}/members/${member.id}`)
      const changes = {
        model: 'huge',
        effort: 'low',
        assistantName: 'Andy',
        maxMessagesPerPrompt: 3,
        skills: ['sums'],
        packagesNpm: ['typescript@7.0.2'],
        cliScope: 'disabled',
        mcpServers: { docs: { url: 'https://docs.example.com/mcp' } },
      }
      expect((await configure(group, changes, admin.api)).status).toBe(200)
      // Unchanged values of other fields may be sent along.
      expect((await configure(group, { ...defaults, ...changes }, admin.api)).status).toBe(200)
      const told = await instruct(group, 'Be brief.', admin.api)
      expect(told.body).toMatchObject({ text: 'Be brief.', folder: `${server.home}.groups/${group.folder}` })
      for (const part of ['config', 'instructions', 'dependents', 'spending']) {
        const path = `/api/agent-groups/${group.id}/${part}`
        expect((await member.api.refused('GET', path)).status).toBe(403)
        expect((await stranger.api.refused('GET', path)).status).toBe(404)
      }
      // A program may be added once nothing of the group runs as the server's user.
      expect((await configure(group, { isolation: 'sandbox' })).status).toBe(200)
      expect((await configure(group, { mcpServers: { sums: { command: 'sums' } } }, admin.api)).status).toBe(200)
    })
  })

  it('C1 the command line makes a group that runs in containers, in one step', async () => {
    const made = await server.cli('groups', 'create', 'Contained', '--isolation', 'container', '--json')
    expect([made.code, made.stderr]).toEqual([0, ''])
    const { id } = JSON.parse(made.stdout) as { id: string }
    expect(await server.api().get(`/api/agent-groups/${id}/config`)).toMatchObject({ isolation: 'container' })
    expect((await server.cli('groups', 'create', 'Wrong', '--isolation', 'jail')).code).toBe(2)
  })

  it('C1 says what hangs on a group before it is removed, and keeps its folder', async () => {
    const group = await newGroup('Busy', { agent: 'chooser' })
    const chat = await owner.post<{ id: string }>('/api/chats', {
      channelType: 'slack',
      platformId: `C-${database}`,
      name: 'dev',
    })
    await owner.post('/api/wirings', { chatId: chat.id, agentGroupId: group.id })
    const member = await newPerson(server, `Cyd ${database}`)
    await owner.put(`/api/agent-groups/${group.id}/members/${member.id}`)
    const session = await start(group)
    const folder = `${server.home}.groups/${group.folder}`
    expect(await owner.get(`/api/agent-groups/${group.id}/dependents`)).toEqual({
      wirings: 1,
      destinations: 1,
      members: 1,
      sessions: 1,
      folder,
    })
    const asked = await server.cli('groups', 'remove', 'Busy')
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringMatching(/1 wiring.*1 session.*--yes/s)])
    expect((await owner.get<Group>(`/api/agent-groups/${group.id}`)).id).toBe(group.id)
    const removed = await server.cli('groups', 'remove', 'Busy', '--yes')
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining(folder)])
    expect(existsSync(join(folder, 'memory'))).toBe(true)
    await owner.delete(`/api/sessions/${session.id}`)
  })

  it('C1 a group without a repo works in its folder, with its instructions there', async () => {
    const group = await newGroup('Home Body', { agent: 'chooser' })
    await instruct(group, 'Speak softly.')
    const session = await detail((await start(group)).id)
    const folder = `${server.home}.groups/home-body`
    expect(session).toMatchObject({ workspaceRoot: folder, agent: 'chooser', agentGroupId: group.id })
    for (const name of ['CLAUDE.md', 'AGENTS.md'])
      expect(readFileSync(join(folder, name), 'utf8')).toBe('Speak softly.')
    await mkdir(join(folder, 'skills', 'sums'))
    writeFileSync(join(folder, 'memory', 'notes.md'), 'x')
    expect(await owner.get(`/api/agent-groups/${group.id}/instructions`)).toEqual({
      text: 'Speak softly.',
      folder,
      skills: ['sums'],
      memory: ['notes.md'],
    })
    await owner.delete(`/api/sessions/${session.id}`)
  })

  it('C1 a group as a file: import creates it, a second time changes nothing, and secrets stay out', async () => {
    const group = await newGroup('Filed', {
      agent: 'chooser',
      config: {
        model: 'large',
        packagesApt: ['jq'],
        limits: { memoryMb: 512 },
        mcpServers: { docs: { command: 'docs', env: { API_KEY: 'sesame-open' } } },
        additionalMounts: [{ hostPath: '/srv/data' }],
      },
    })
    await instruct(group, 'Be brief.\nBe "kind" \\o/.\n')
    const path = join(server.home, 'filed.toml')
    const { stdout: toml } = await server.cli('groups', 'export', 'Filed')
    expect(toml).not.toMatch(new RegExp(`sesame|${group.id}`))
    expect(toml).toContain('Be "kind" \\o/.')
    expect((await server.cli('groups', 'export', 'Filed')).stdout).toBe(toml)
    writeFileSync(path, toml)
    const again = await server.cli('groups', 'import', path, '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: 'unchanged', differences: [] })
    writeFileSync(path, toml.replace('"large"', '"huge"').replace('Be brief.', 'Be long.'))
    const dry = await server.cli('groups', 'import', path, '--dry-run')
    expect(dry.stdout).toMatch(/config\.model: "large" → "huge"/)
    expect((await configOf(group))['model']).toBe('large')
    await server.cli('groups', 'import', path)
    expect(await configOf(group)).toMatchObject({
      model: 'huge',
      limits: { memoryMb: 512, cpus: null },
      mcpServers: { docs: { command: 'docs', args: [], env: { API_KEY: 'sesame-open' } } },
    })
    writeFileSync(path, toml.replace('"filed"', '"filed-2"').replace('"Filed"', '"Filed 2"'))
    expect((await server.cli('groups', 'import', path)).stdout).toMatch(/was created[^]*docs\.API_KEY has no value/)
    const made = (await owner.list<Group>('/api/agent-groups')).find(({ folder }) => folder === 'filed-2')!
    expect(await configOf(made)).toMatchObject({ packagesApt: ['jq'], additionalMounts: [{ hostPath: '/srv/data' }] })
    const json = await server.cli('groups', 'export', 'Filed 2', '--format', 'json')
    writeFileSync(path, json.stdout)
    expect(JSON.parse((await server.cli('groups', 'import', path, '--json')).stdout)).toMatchObject({
      outcome: 'unchanged',
    })
    writeFileSync(path, 'name = "x"\nfolder = "x"\nsecret = 1\n')
    expect((await server.cli('groups', 'import', path)).code).toBe(2)
  })

  it("C11 model and effort: the session's, else the container config's, else the group's", async () => {
    const group = await newGroup('Choosers', { agent: 'chooser', model: 'large' })
    const chosen = async (more = {}) => {
      const { id } = await start(group, more)
      const { model, effort, agentState } = await detail(id)
      await owner.delete(`/api/sessions/${id}`)
      return { model, effort, in: agentState.configOptions.map(({ currentValue }) => currentValue) }
    }
    expect(await chosen()).toEqual({ model: null, effort: null, in: ['large', 'low'] })
    await configure(group, { model: 'huge', effort: 'high' })
    expect(await chosen()).toEqual({ model: null, effort: null, in: ['huge', 'high'] })
    expect(await chosen({ model: 'small', effort: 'most' })).toEqual({
      model: 'small',
      effort: 'most',
      in: ['small', 'most'],
    })
    const older = await start(group, { agent: 'older' })
    expect((await detail(older.id)).agentState.models?.currentModelId).toBe('huge')
    const none = await detail((await start(group, { model: 'gigantic' })).id)
    expect(none.messages.map(({ content }) => content.text).join()).toContain('It offers: small, large, huge')
    const cli = await server.cli('start', 'chooser', '--group', 'Choosers', '--model', 'small', '--detach', '--json')
    expect(JSON.parse(cli.stdout)).toMatchObject({ model: 'small', agentGroupId: group.id })
  })

  it('C11 provider: the container config says which agent runs, before the group', async () => {
    const group = await newGroup('Providers', { agent: 'older' })
    await configure(group, { provider: 'chooser' })
    expect((await detail((await start(group)).id)).agent).toBe('chooser')
    expect((await detail((await start(group, { agent: 'older' })).id)).agent).toBe('older')
  })

  it('C1 MCP servers, the name and the instructions of a group reach its agent', async () => {
    const group = await newGroup('Servers', { agent: 'chooser', workspaceRoot: server.outside })
    await mkdir(server.outside, { recursive: true })
    await instruct(group, 'Be kind.')
    await configure(group, {
      assistantName: 'Andy',
      mcpServers: { docs: { url: 'https://docs.example.com/mcp', headers: { 'X-A': 'b' } } },
    })
    writeFileSync(log, '')
    const session = await start(group, { prompt: 'Hello' })
    await until(() => heard().some(({ method }) => method === 'session/prompt'), { what: 'the prompt' })
    const opened = heard().find(({ method }) => method === 'session/new')
    expect(opened?.params['mcpServers']).toContainEqual({
      type: 'http',
      name: 'docs',
      url: 'https://docs.example.com/mcp',
      headers: [{ name: 'X-A', value: 'b' }],
    })
    const words = heard()
      .filter(({ method }) => method === 'session/prompt')
      .map(({ params }) => (params['prompt'] as { text: string }[]).map(({ text }) => text))
    expect(words).toEqual([['Hello', expect.stringMatching(/Your name is Andy\.[^]*Be kind\./)]])
    await owner.post(`/api/sessions/${session.id}/prompt`, { text: 'Again' })
    await until(() => heard().filter(({ method }) => method === 'session/prompt').length === 2, { what: 'the second' })
    expect(heard().at(-1)?.params['prompt']).toEqual([{ type: 'text', text: 'Again' }])
    await owner.delete(`/api/sessions/${session.id}`)
  })

  it('S1 a session is not less confined than its group without the machine right', async () => {
    const group = await newGroup('Strict', { agent: 'chooser', config: { isolation: 'sandbox' } })
    const member = await newPerson(server, `Dan ${database}`)
    await owner.put(`/api/agent-groups/${group.id}/members/${member.id}`)
    const refusal = await member.api.refused('POST', '/api/sessions', { agentGroupId: group.id, isolation: 'none' })
    expect([refusal.status, refusal.code]).toEqual([403, 'needs_machine'])
    const stranger = await newPerson(server, `Fay ${database}`)
    const unknown = await stranger.api.refused('POST', '/api/sessions', { agentGroupId: group.id })
    expect([unknown.status, unknown.code]).toEqual([404, 'agent_group_not_found'])
    expect((await detail((await start(group, { isolation: 'none' })).id)).isolation).toBe('none')
  })

  it('B6 the sessions of a group share its budget: each pauses, its admins are asked once, and the answer is for all', async () => {
    const group = await newGroup('Spenders', { agent: 'chooser', config: { budget: { costUsd: 1, period: 'month' } } })
    const admin = await newPerson(server, `Gil ${database}`)
    await owner.post(`/api/users/${admin.id}/roles`, { role: 'admin', agentGroupId: group.id })
    const asAdmin = () => server.api(admin.token)
    const asks = async () =>
      (await asAdmin().get<{ asks: Ask[] }>('/api/asks?status=open')).asks.filter(({ title }) =>
        title.includes('Spenders'),
      )
    const status = async ({ id }: Session) => (await detail(id)).status
    const spend = (session: Session, dollars: number) =>
      owner.post(`/api/sessions/${session.id}/prompt`, { text: `spend ${dollars}` })
    const [one, two] = [await start(group), await start(group)]
    await spend(one, 0.6)
    const spent = async () => (await owner.get<{ costUsd: number }>(`/api/agent-groups/${group.id}/spending`)).costUsd
    await until(async () => (await spent()) === 0.6, { what: 'the first report' })
    expect(await status(one)).toBe('active')
    await spend(two, 0.5)
    await until(async () => (await status(two)) === 'paused', { what: 'the pause' })
    // Totals, not sums of reports: another 10 cents.
    await spend(one, 0.7)
    await until(async () => (await status(one)) === 'paused', { what: 'the other pause' })
    expect(await spent()).toBeCloseTo(1.2)
    const open = await asks()
    expect(open).toMatchObject([{ kind: 'prompt', title: 'Budget of Spenders used up: $1.10 of $1.00 this month' }])
    await server.kill('SIGKILL')
    await server.restart()
    expect(await asks()).toHaveLength(1)
    const later = await start(group, { prompt: 'spend 0.1' })
    await until(async () => (await status(later)) === 'paused', { what: 'a new session waits too' })
    await asAdmin().post(`/api/asks/${open[0]!.id}/answer`, { outcome: 'continue' })
    for (const session of [one, two, later])
      await until(async () => (await status(session)) === 'active', { what: 'they go on' })
    await until(async () => (await spent()) > 1.25, { what: 'the prompt that waited' })
    await spend(two, 2)
    await until(async () => (await status(two)) === 'paused', { what: 'the second time' })
    const [again] = await asks()
    expect(again?.title).toContain('of $2.00')
    await asAdmin().post(`/api/asks/${again!.id}/answer`, { outcome: 'stop' })
    await until(async () => (await status(two)) === 'completed', { what: 'its end' })
  })
})
