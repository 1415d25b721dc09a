import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import {
  openAdminHarness,
  packages,
  type AdminAsk,
  type AdminHarness,
  type Config,
  type Group,
} from './administration-harness.ts'
import { approve, reject } from './mcp-harness.ts'

/** Canonical JSON: sorted keys, no blanks. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe.each(usualDatabases)('asks of administrators on %s', (database) => {
  let all: AdminHarness
  beforeAll(async () => {
    all = await openAdminHarness({ database })
  })
  afterAll(() => all?.[Symbol.asyncDispose]())

  const answerOf = (ask: { id: string }) => `/api/asks/${ask.id}/answer`

  it('C7 install_packages goes to the admins of the group with exactly what will be installed, and its hash', async () => {
    await using agent = await all.connect()
    const { ask: opened, done } = await agent.begin('install_packages', packages)
    const ask = await all.ask(opened.id)
    expect(ask).toMatchObject({
      kind: 'packages',
      circle: 'group',
      answerers: [all.gina.id],
      agentGroupId: all.group.id,
      requestedBy: all.mel.id,
      riskLevel: 'high',
      subject: {
        apt: ['jq'],
        npm: ['typescript@7.0.2'],
        reason: 'to read JSON',
        agentGroupId: all.group.id,
        requestedBy: { sessionId: all.sessionId, userId: all.mel.id },
        after: { apt: ['jq'], npm: ['typescript@7.0.2'] },
      },
    })
    expect(ask.subjectHash).toBe(sha256(canonical(ask.subject)))
    expect(ask.expiresAt).not.toBeNull()
    await all.gina.api.post(answerOf(ask), approve)
    expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
    expect(await all.settled(ask.id)).toMatchObject({ status: 'consumed', answeredBy: `user:${all.gina.id}` })
    const config = await all.owner.get<Config>(`/api/agent-groups/${all.group.id}/config`)
    expect([config.packagesApt, config.packagesNpm]).toEqual([['jq'], ['typescript@7.0.2']])
    const { lines } = await all.owner.get<{ lines: { text: string }[] }>(`/api/asks/${ask.id}/log`)
    expect(lines.length).toBeGreaterThan(0)
    const history = await all.gina.api.get<{ asks: { id: string }[] }>('/api/asks?kind=packages')
    expect(history.asks.map(({ id }) => id)).toContain(ask.id)
  })

  it('C7 a group that changed in between so that the result would differ is left alone; asking again works', async () => {
    await using agent = await all.connect()
    const wish = { name: 'files', url: 'https://files.example.com/mcp', reason: 'to look' }
    const first = await agent.begin('add_mcp_server', wish)
    const again = await all.connect()
    const second = again.call('add_mcp_server', { ...wish, url: 'https://other.example.com/mcp' })
    const pending = await second
    expect(pending).toMatchObject({ status: 'pending' })
    await all.gina.api.post(answerOf({ id: String(pending['request_id']) }), approve)
    await all.settled(String(pending['request_id']))
    await all.gina.api.post(answerOf(first.ask), approve)
    expect(await first.done).toMatchObject({ status: 'failed', reason: expect.stringContaining('changed since') })
    const third = await agent.begin('add_mcp_server', wish)
    expect((await all.ask(third.ask.id)).subject).toMatchObject({ replaces: { url: 'https://other.example.com/mcp' } })
    await all.gina.api.post(answerOf(third.ask), approve)
    expect(await third.done).toMatchObject({ status: 'approved' })
    await again[Symbol.asyncDispose]()
  })

  it('C7 nobody approves what they may not do: a program that would run unconfined needs an admin of the server', async () => {
    await using agent = await all.connect()
    const { ask, done } = await agent.begin('add_mcp_server', { name: 'run', command: '/bin/run', reason: 'to run' })
    const refused = await all.gina.api.refused('POST', answerOf(ask), approve)
    expect([refused.status, refused.code]).toEqual([403, 'needs_role'])
    await all.gil.api.post(answerOf(ask), approve)
    expect(await done).toMatchObject({ status: 'approved' })
    const config = await all.owner.get<Config>(`/api/agent-groups/${all.group.id}/config`)
    expect(config.mcpServers).toMatchObject({ run: { command: '/bin/run' } })
  })

  it('C7 a rejected ask says why; wrong packages and servers are refused before anyone is asked', async () => {
    await using agent = await all.connect()
    const { ask, done } = await agent.begin('install_packages', packages)
    await all.gina.api.post(answerOf(ask), reject('not on this machine'))
    expect(await done).toMatchObject({ status: 'rejected', reason: 'not on this machine' })
    const wrong = async (tool: string, input: object) => (await agent.call(tool, input as never))['error_code']
    const many = Array.from({ length: 15 }, (_, n) => `p${n}`)
    expect([
      await wrong('install_packages', { ...packages, apt: ['jq; rm -rf /'] }),
      await wrong('install_packages', { ...packages, npm: ['https://example.com/x.tgz'] }),
      await wrong('install_packages', { apt: many, npm: many, reason: 'all' }),
      await wrong('install_packages', { reason: 'none' }),
      await wrong('add_mcp_server', { name: 'a b', command: 'x', reason: 'y' }),
      await wrong('add_mcp_server', { name: 'signalbox', command: 'x', reason: 'y' }),
      await wrong('add_mcp_server', { name: 'x', reason: 'y' }),
      await wrong('add_mcp_server', { name: 'x', url: 'file:///etc/passwd', reason: 'y' }),
      await wrong('create_agent', { name: 'helpers', instructions: 'x' }),
      await wrong('request_credential', { name: 'K', host: '*.example.com', reason: 'y' }),
    ]).toEqual([
      'invalid_package',
      'invalid_package',
      'invalid_package',
      'invalid_package',
      'invalid_server',
      'invalid_server',
      'invalid_server',
      'invalid_server',
      'name_taken',
      'invalid_host',
    ])
  })

  it('C7 create_agent makes a group with no more rights than its creator, and a way between both', async () => {
    await using agent = await all.connect()
    const wish = { name: 'Scout', instructions: 'Look around and report.' }
    const { ask, done } = await agent.begin('create_agent', wish)
    expect((await all.ask(ask.id)).subject).toMatchObject({ config: { cliScope: 'group', networkHosts: [] } })
    await all.gina.api.post(answerOf(ask), approve)
    const said = await done
    expect(said).toMatchObject({ status: 'approved', destination: 'scout' })
    const groups = await all.owner.list<Group>('/api/agent-groups')
    const made = groups.find(({ name }) => name === 'Scout')
    const destinations = await all.owner.list<{ agentGroupId: string; targetId: string }>('/api/destinations')
    const between = destinations.map(({ agentGroupId, targetId }) => [agentGroupId, targetId])
    expect(between).toEqual(
      expect.arrayContaining([
        [all.group.id, made?.id],
        [made?.id, all.group.id],
      ]),
    )
    expect(await agent.call('create_agent', wish)).toMatchObject({ error_code: 'name_taken' })
  })

  it('C7 create_agent says what the new agent may spend, and only those who set budgets approve it', async () => {
    await using agent = await all.connect()
    const budget = { costUsd: 25, tokens: null, period: 'month' }
    const path = `/api/agent-groups/${all.group.id}/config`
    await all.owner.send('PATCH', path, { body: { budget } })
    try {
      const { ask, done } = await agent.begin('create_agent', { name: 'Spender', instructions: 'Spend.' })
      expect((await all.ask(ask.id)).subject).toMatchObject({ config: { budget } })
      const shown = await all.mcp.server.cli('asks', 'show', ask.id)
      expect(shown.stdout).toMatch(/\$25\.00 a month: its own, in addition to the budget/)
      const refused = await all.gina.api.refused('POST', answerOf(ask), approve)
      expect([refused.status, refused.code]).toEqual([403, 'needs_role'])
      // What it costs has changed since it was shown.
      await all.owner.send('PATCH', path, { body: { budget: { ...budget, costUsd: 50 } } })
      await all.gil.api.post(answerOf(ask), approve)
      expect(await done).toMatchObject({ status: 'failed', reason: expect.stringContaining('changed since') })
      const again = await agent.begin('create_agent', { name: 'Spender', instructions: 'Spend.' })
      await all.gil.api.post(answerOf(again.ask), approve)
      expect(await again.done).toMatchObject({ status: 'approved' })
      const made = (await all.owner.list<Group>('/api/agent-groups')).find(({ name }) => name === 'Spender')
      expect(await all.owner.get(`/api/agent-groups/${made?.id}/config`)).toMatchObject({ budget: { costUsd: 50 } })
      const turnedDown = await agent.begin('create_agent', { name: 'Other', instructions: 'Spend.' })
      await all.gina.api.post(answerOf(turnedDown.ask), reject('too dear'))
      expect(await turnedDown.done).toMatchObject({ status: 'rejected' })
    } finally {
      await all.owner.send('PATCH', path, { body: { budget: null } })
    }
  })

  it('C7 two credentials are never reached by one name; the same one is replaced', async () => {
    await using agent = await all.connect()
    const path = `/api/agent-groups/${all.group.id}/credentials`
    const held = async () =>
      (await all.gina.api.list<{ host: string; name: string }>(path)).map(({ host, name }) => `${name} ${host}`)
    const give = { outcome: 'reply', value: 'a-value' }
    const wish = { name: 'API_KEY', host: 'one.example.com', reason: 'to call it' }
    for (let n = 0; n < 2; n += 1) {
      const { ask, done } = await agent.begin('request_credential', wish)
      await all.gina.api.post(answerOf(ask), give)
      expect(await done).toMatchObject({ status: 'approved' })
    }
    for (const other of [
      { ...wish, name: 'api-key' },
      { ...wish, name: 'Api.Key' },
      { ...wish, host: 'two.example.com' },
    ])
      expect(await agent.call('request_credential', other)).toMatchObject({ error_code: 'credential_name_taken' })
    // Both were asked for before one was given.
    const asks = ['OTHER_KEY', 'other key'].map((name) =>
      all.agentApi.post<AdminAsk>(`/api/sessions/${all.sessionId}/asks`, {
        title: 'May I?',
        subject: { kind: 'credential', ...wish, name },
      }),
    )
    const statuses: string[] = []
    for (const ask of await Promise.all(asks)) {
      await all.gina.api.post(answerOf(ask), give)
      statuses.push((await all.settled(ask.id)).status)
    }
    expect(statuses).toEqual(['consumed', 'failed'])
    expect(await held()).toEqual(['API_KEY one.example.com', 'OTHER_KEY one.example.com'])
    for (const { id } of await all.gina.api.list<{ id: string }>(path)) await all.gina.api.delete(`${path}/${id}`)
  })

  it('C7 a credential is given with the answer, never shown again, and can be revoked', async () => {
    await using agent = await all.connect()
    const secret = 'hunter2-which-nobody-may-see'
    const wish = { name: 'TOKEN', host: 'api.example.com', reason: 'to call it' }
    const { ask, done } = await agent.begin('request_credential', wish)
    const plain = await all.gina.api.refused('POST', answerOf(ask), approve)
    expect(plain.code).toBe('answer_does_not_fit')
    await all.gina.api.post(answerOf(ask), { outcome: 'reply', value: secret })
    expect(await done).toMatchObject({ status: 'approved' })
    const path = `/api/agent-groups/${all.group.id}/credentials`
    const [held, ...more] = await all.gina.api.list<{ id: string; host: string; name: string }>(path)
    expect([held, more]).toMatchObject([{ host: 'api.example.com', name: 'TOKEN', grantedBy: all.gina.id }, []])
    const stored = database === 'sqlite' ? await readFile(join(all.mcp.server.home, 'signalbox.db'), 'latin1') : ''
    const seen = JSON.stringify([
      await all.owner.get(`/api/asks/${ask.id}`),
      await all.owner.get(path),
      (await all.owner.send('GET', '/api/audit/export')).text,
      stored,
    ])
    expect(seen).not.toContain(secret)
    expect((await all.otto.api.refused('GET', path)).status).toBe(404)
    expect((await all.mel.api.refused('GET', path)).code).toBe('needs_role')
    expect((await all.agentApi.refused('GET', path)).status).toBe(403)
    await all.gina.api.delete(`${path}/${held?.id}`)
    expect(await all.gina.api.list(path)).toEqual([])
  })

  it('C7 an agent without an agent group is told so', async () => {
    await using alone = await all.mcp.connect()
    expect(await alone.call('install_packages', packages)).toMatchObject({ error_code: 'no_agent_group' })
  })

  it('C7 whoever did not wait is told by a message', async () => {
    await using agent = await all.connect()
    const pending = await agent.call('install_packages', { apt: ['ripgrep'], reason: 'to search' })
    expect(pending).toMatchObject({ status: 'pending' })
    const id = String(pending['request_id'])
    await all.gina.api.post(answerOf({ id }), approve)
    await all.settled(id)
    const { queue, messages } = await all.mcp.session(all.sessionId)
    expect(JSON.stringify([queue, messages])).toContain('Installed: ripgrep')
  })

  it('C10 what an agent changes with the command line waits for an administrator, and then exactly that is done', async () => {
    const path = `/api/agent-groups/${all.group.id}/config`
    const change = { model: 'small', effort: 'low' }
    const first = await all.agentApi.refused('PATCH', path, change)
    expect([first.status, first.code]).toEqual([409, 'pending'])
    const { asks } = await all.gina.api.get<{ asks: AdminAsk[] }>('/api/asks?kind=admin_command&status=open')
    expect(asks).toMatchObject([
      {
        circle: 'group',
        subject: {
          command: { type: 'agent_group.configure', id: all.group.id, ...change },
          before: { model: null, effort: null },
        },
      },
    ])
    // Repeated, it waits for the same ask.
    const again = await all.agentApi.refused('PATCH', path, change)
    expect(again.code).toBe('pending')
    const [ask = { id: '' }] = asks
    await all.gina.api.post(answerOf(ask), approve)
    await all.settled(ask.id)
    expect(await all.owner.get<Config>(path)).toMatchObject(change)
    const held = all.agentApi.send('PATCH', path, { body: { model: 'large' } })
    const next = await until(async () => {
      const open = await all.gina.api.get<{ asks: AdminAsk[] }>('/api/asks?kind=admin_command&status=open')
      return open.asks[0]
    })
    await all.gina.api.post(answerOf(next), approve)
    expect([(await held).status, (await held).body]).toMatchObject([200, { model: 'large' }])
    const now = await all.gina.api.get<{ asks: AdminAsk[] }>('/api/asks?kind=admin_command')
    expect(now.asks).toHaveLength(2)
  })

  it('C10 agents can’t even ask for roles, tokens, policy, asks, a wider scope, or anything of another group', async () => {
    const { agentApi: api, group, elsewhere, mel } = all
    const tries: [string, string, object][] = [
      ['PATCH', `/api/agent-groups/${group.id}/config`, { cliScope: 'global' }],
      ['PATCH', `/api/agent-groups/${group.id}/config`, { isolation: 'none' }],
      ['PATCH', `/api/agent-groups/${group.id}/config`, { budget: null }],
      ['PATCH', `/api/agent-groups/${group.id}/config`, { mcpServers: {} }],
      ['PATCH', `/api/agent-groups/${elsewhere.id}/config`, { model: 'x' }],
      ['PATCH', '/api/agent-groups/00000000-0000-4000-8000-000000000000/config', { model: 'x' }],
      ['PATCH', `/api/agent-groups/${elsewhere.id}`, { name: 'Mine' }],
      ['PUT', `/api/agent-groups/${elsewhere.id}/members/${mel.id}`, {}],
      ['POST', '/api/agent-groups', { name: 'New' }],
      ['POST', `/api/users/${mel.id}/roles`, { role: 'admin', agentGroupId: group.id }],
      ['POST', '/api/tokens', { name: 'more' }],
    ]
    for (const [method, path, body] of tries) {
      const refused = await api.refused(method, path, body)
      expect([path, refused.status, refused.code]).toEqual([path, 403, 'agents_may_not'])
    }
    const open = await all.gina.api.get<{ asks: unknown[] }>('/api/asks?status=open&kind=admin_command')
    expect(open.asks).toEqual([])
    await all.owner.patch(`/api/agent-groups/${group.id}/config`, { cliScope: 'disabled' })
    const off = await api.refused('PATCH', `/api/agent-groups/${group.id}/config`, { model: 'y' })
    expect(off.status).toBe(403)
    await all.owner.patch(`/api/agent-groups/${group.id}/config`, { cliScope: 'group' })
  })
})
