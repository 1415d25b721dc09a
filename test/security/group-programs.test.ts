import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMachineUser, newPerson, type Person } from '../conformance/people.ts'
import type { Session } from '../conformance/shapes.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import type { Api } from '../support/api.ts'
import { startServer, usualDatabases, type Server } from '../support/server.ts'

type Group = { id: string; folder: string }
type Detail = Session & {
  isolation: string
  agentState: { confinement: string }
  messages: { role: string; content: { text?: string } }[]
}

const agentFile = fileURLToPath(new URL('../conformance/agents-choices.mjs', import.meta.url))
const tools = { command: '/bin/false', args: [], env: {} }
const docs = { url: 'https://docs.example.com/mcp', headers: {} }

/** What an agent group's own admins choose never runs as the server's user (S1). */
describe.each(usualDatabases)('programs that admins of an agent group choose, on %s', (database) => {
  let server: Server
  let owner: Api
  let ada: Person
  let mac: Person
  beforeAll(async () => {
    // It writes what it hears to its workspace, which is the group's folder.
    const agent = (name: string, more = '') =>
      `[agents.${name}]\n${more}command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([agentFile, 'heard.jsonl'])}\n`
    // Its preset passes the model in a variable.
    const agents = agent('chooser') + agent('teller', 'preset = "gemini"\n')
    server = await startServer({ database, config: `[acp]\nmax_sessions = 100\n${agents}` })
    owner = server.api()
    ada = await newPerson(server, `Ada ${database}`)
    mac = await newMachineUser(server, `Mac ${database}`)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const pathOf = ({ id }: Group) => `/api/agent-groups/${id}/config`
  const configure = async (api: Api, group: Group, body: object) => {
    const { status } = await api.send('PATCH', pathOf(group), { body })
    expect(status).toBe(200)
  }
  async function groupOf(name: string, config: object = { isolation: 'sandbox' }): Promise<Group> {
    const group = await owner.post<Group>('/api/agent-groups', { name, agent: 'chooser', config })
    for (const { id } of [ada, mac])
      await owner.post(`/api/users/${id}/roles`, { role: 'admin', agentGroupId: group.id })
    return group
  }
  /** Which MCP servers the agent of a new session gets, and what the session says. */
  async function begun(group: Group, isolation: string | null) {
    const { id } = await owner.post<Session>('/api/sessions', {
      agentGroupId: group.id,
      ...(isolation !== null && { isolation }),
    })
    const { messages, isolation: runs } = await owner.get<Detail>(`/api/sessions/${id}`)
    const said = messages.flatMap(({ role, content }) => (role === 'system' ? [content.text] : [])).join('\n')
    await owner.delete(`/api/sessions/${id}`)
    const heard = readFileSync(join(`${server.home}.groups`, group.folder, 'heard.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const opened = heard
      .map((line) => JSON.parse(line) as { method: string; params: { mcpServers: { name: string }[] } })
      .findLast(({ method }) => method === 'session/new')
    const names = opened?.params.mcpServers.map(({ name }) => name).filter((name) => name !== 'signalbox')
    return { isolation: runs, names: names?.toSorted(), said }
  }

  it('S1 are left out of a session without isolation, which says so', async () => {
    const group = await groupOf('Narrow')
    await configure(ada.api, group, { mcpServers: { docs, tools } })
    const { names, said, isolation } = await begun(group, 'none')
    expect([isolation, names]).toEqual(['none', ['docs']])
    expect(said).toMatch(/Left out.*MCP server tools\./s)
  })

  it.runIf(sandboxWorks())('S1 are there in a sandbox', async () => {
    const group = await groupOf('Inside')
    await configure(ada.api, group, { mcpServers: { docs, tools } })
    const { names, said, isolation } = await begun(group, null)
    expect([isolation, names]).toEqual(['sandbox', ['docs', 'tools']])
    expect(said).not.toContain('Left out')
  })

  it('S1 stay left out when someone with the right changes something else, or the isolation of the group', async () => {
    const group = await groupOf('Beside')
    await configure(ada.api, group, { mcpServers: { tools } })
    await configure(owner, group, { isolation: 'none', mcpServers: { tools, docs, own: tools } })
    expect((await begun(group, null)).names).toEqual(['docs', 'own'])
    expect(await owner.get(pathOf(group))).toMatchObject({ vouchedServers: ['docs', 'own'] })
  })

  it('S1 run once someone with the right sets them, until someone without it changes them', async () => {
    const group = await groupOf('Vouched')
    await configure(mac.api, group, { mcpServers: { tools } })
    expect(await begun(group, 'none')).toMatchObject({
      names: ['tools'],
      said: expect.not.stringContaining('Left out'),
    })
    await configure(ada.api, group, { mcpServers: { tools: { ...tools, args: ['-c', 'id'] } } })
    expect((await begun(group, 'none')).names).toEqual([])
    await configure(ada.api, group, { mcpServers: { tools } })
    expect((await begun(group, 'none')).names).toEqual([])
    await configure(mac.api, group, { mcpServers: {} })
    await configure(mac.api, group, { mcpServers: { tools } })
    expect((await begun(group, 'none')).names).toEqual(['tools'])
  })

  it('S1 run if they were given with the group: only admins of the server make one, and they have the right', async () => {
    expect((await begun(await groupOf('Made', { mcpServers: { tools } }), 'none')).names).toEqual(['tools'])
    const own = { name: 'Of Ada', config: { mcpServers: { tools } } }
    const refused = await ada.api.refused('POST', '/api/agent-groups', own)
    expect([refused.status, refused.code]).toEqual([403, 'needs_role'])
  })

  it.runIf(sandboxWorks())(
    'S4 open no port of this machine, and neither does the model of a session',
    async (context) => {
      const group = await groupOf('Ports')
      const confinement = async (more: object = {}) => {
        const { id } = await owner.post<Session>('/api/sessions', {
          agentGroupId: group.id,
          agent: 'teller',
          isolation: 'sandbox',
          ...more,
        })
        const { agentState } = await owner.get<Detail>(`/api/sessions/${id}`)
        await owner.delete(`/api/sessions/${id}`)
        return agentState.confinement
      }
      const before = await confinement()
      if (!before.includes('own loopback')) context.skip('agents have no network of their own here')
      const here = (port: number) => ({ url: `http://127.0.0.1:${port}/mcp`, headers: {} })
      const told = (port: number) => ({ ...tools, args: [`http://localhost:${port}/`] })
      await configure(ada.api, group, { mcpServers: { one: here(5001), two: told(5002) } })
      for (const model of ['http://localhost:5003', 'http://a\nb@localhost:5003'])
        expect(await confinement({ model, effort: 'ws://[::1]:5004' })).toBe(before)
      await configure(mac.api, group, {
        mcpServers: { one: here(5001), two: told(5002), three: here(5005), four: told(5006) },
      })
      expect(await confinement()).toContain('lets in 5005, 5006')
    },
  )

  it.runIf(sandboxWorks())('S1 that an agent asked for count as set by whoever approved', async () => {
    const group = await groupOf('Asked')
    const session = await owner.post<Session>('/api/sessions', { agentGroupId: group.id })
    for (const [name, { api }] of [['ofada', ada] as const, ['ofmac', mac] as const]) {
      const { token } = await owner.post<{ token: string }>('/api/tokens', {
        name: `its agent ${name}`,
        scope: 'agent',
        sessionId: session.id,
      })
      const ask = await server.api(token).post<{ id: string }>(`/api/sessions/${session.id}/asks`, {
        title: 'May I?',
        subject: { kind: 'mcp_server', name, server: tools, reason: 'to count' },
      })
      await api.post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })
      await expect
        .poll(async () => (await owner.get<{ status: string }>(`/api/asks/${ask.id}`)).status)
        .toBe('consumed')
    }
    await owner.delete(`/api/sessions/${session.id}`)
    expect((await begun(group, 'none')).names).toEqual(['ofmac'])
  })
})
