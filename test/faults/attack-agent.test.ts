import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, openMcpHarness, type Agent, type FullAsk, type McpHarness } from '../conformance/mcp-harness.ts'
import { newMachineUser } from '../conformance/people.ts'
import { newToken } from '../conformance/work.ts'
import type { Api } from '../support/api.ts'
import { connect, linesOf, wireTo, call } from '../support/mcp-wire.ts'

const secret = 'what nobody is to read'

describe('an agent that wants more than it was given', () => {
  let harness: McpHarness
  let base: string
  let other: string
  beforeAll(async () => {
    harness = await openMcpHarness({ places: 40 })
    base = await mkdtemp(join(tmpdir(), 'sba-'))
    await writeFile(join(base, 'secret.txt'), `${secret}\n`)
    other = (await newToken(harness.owner, { name: 'another agent', scope: 'agent' })).token
  })
  afterAll(async () => {
    await harness[Symbol.asyncDispose]()
    await rm(base, { recursive: true, force: true })
  })

  const asAgent = (token = harness.token): Api => harness.server.api(token)
  const allOf = async (sessionId: string): Promise<string> =>
    JSON.stringify(await asAgent().get(`/api/asks?sessionId=${sessionId}`))
  const write = (path: string) => ({ tool_name: 'Write', input: { file_path: path, content: '' } })
  const edit = (path: string) => ({
    tool_name: 'Edit',
    input: { file_path: path, old_string: 'nobody', new_string: 'everybody' },
  })

  it.each([
    ['by its path', () => join(base, 'secret.txt')],
    ['by dots', (agent: Agent) => `../${'../'.repeat(agent.place.path.split('/').length)}${base}/secret.txt`],
    ['through a link', () => 'way/secret.txt'],
    ['by a link', () => 'one.txt'],
  ])('can’t read a file outside its workspace %s by asking for permission', async (_how, path) => {
    await using agent = await harness.connect()
    await symlink(base, join(agent.place.path, 'way'))
    await symlink(join(base, 'secret.txt'), join(agent.place.path, 'one.txt'))
    for (const use of [write(path(agent)), edit(path(agent))]) await agent.call('permission_prompt', use)
    expect(await allOf(agent.sessionId)).not.toContain(secret)
    const { asks } = await harness.owner.get<{ asks: FullAsk[] }>(`/api/asks?sessionId=${agent.sessionId}`)
    expect(asks.map(({ riskLevel }) => riskLevel)).toEqual(['critical', 'critical'])
  })

  it('can’t name a workspace of its own to read one there', async () => {
    const body = { id: randomUUID(), protocolMode: 'mcp', workspaceRoot: base }
    const refused = await asAgent().refused('POST', '/api/sessions', body)
    expect(refused).toMatchObject({ status: 403, code: 'workspace_not_permitted' })
    await using agent = await harness.connect({ place: null, query: { session_id: body.id } })
    await agent.call('permission_prompt', write('secret.txt'))
    await agent.call('ask_approval', { title: 'a look', file_path: 'secret.txt', diff: 'mine\n' })
    expect(await allOf(body.id)).not.toContain(secret)
  })

  it('can’t reach another’s session by what it says about its own', async () => {
    await using victim = await harness.connect()
    const { ask } = await victim.begin('forward_prompt', { prompt_text: 'between us' })
    const bob = await newMachineUser(harness.server, 'Bob')
    const { token } = await newToken(bob.api, { name: 'of Bob', scope: 'agent' })
    for (const thief of [token, other]) {
      const id = randomUUID()
      const metadata = { reason: `recovered:${victim.sessionId}`, shared: true, client: 'mcp' }
      const body = { id, protocolMode: 'mcp', workspaceRoot: victim.place.path, metadata }
      await asAgent(thief).send('POST', '/api/sessions', { body })
      await asAgent(thief).send('POST', `/api/sessions/${id}/complete`, {
        body: { reason: `recovered:${victim.sessionId}` },
      })
      await using agent = await harness.connect({ place: victim.place, token: thief, query: { session_id: id } })
      expect(agent.sessionId).not.toBe(victim.sessionId)
      const told = [await agent.call('recover_state'), await agent.call('forward_prompt', { request_id: ask.id })]
      expect(JSON.stringify(told)).not.toContain('between us')
    }
  })

  it('can’t take over a session in which another agent is working', async () => {
    await using working = await harness.connect()
    await working.call('heartbeat', { progress_snapshot: [{ label: 'half done', status: 'in_progress' }] })
    await using agent = await harness.connect({ place: working.place, token: other })
    expect(await agent.call('recover_state', { session_id: working.sessionId })).toMatchObject({
      isError: true,
      error_code: 'session_not_yours',
    })
    expect((await harness.session(agent.sessionId)).status).toBe('active')
  })

  it.each([
    ['disconnecting', (id: string) => goodbye(id)],
    [
      'reporting itself as interrupted',
      (id: string) => asAgent().send('POST', `/api/sessions/${id}/interrupt`, { body: {} }),
    ],
  ])('can’t end a pause by %s', async (_how, leave) => {
    const id = randomUUID()
    const place = await harness.place()
    await using agent = await harness.connect({ place, query: { session_id: id }, version: '2026-07-28' })
    expect(await agent.call('forward_prompt', { prompt_text: 'go on?' })).toMatchObject({ status: 'pending' })
    await harness.owner.post(`/api/sessions/${id}/pause`)
    await leave(id)
    await asAgent().send('POST', `/api/sessions/${id}/recover`, { body: {} })
    expect(await agent.call('heartbeat')).toMatchObject({ isError: true })
    expect((await harness.session(id)).status).not.toBe('active')
  })

  const goodbye = (id: string): Promise<Response> =>
    fetch(`${harness.server.address}/mcp?session_id=${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${harness.token}` },
    })

  it('has to ask about a tool that only sounds like one of ours', async () => {
    await using agent = await harness.connect()
    for (const name of ['mcp__signalbox__evil__run', 'mcp__signalbox__nothing', 'mcp__signalbox__'])
      expect(await agent.call('permission_prompt', { tool_name: name, input: {} }), name).not.toMatchObject({
        behavior: 'allow',
      })
    const ours = { tool_name: 'mcp__signalbox__heartbeat', input: {} }
    expect(await agent.call('permission_prompt', ours)).toMatchObject({ behavior: 'allow' })
  })

  it('can’t reach another token’s connection, stream or session', async () => {
    const mine = await connect(harness.server.address, harness.token)
    const theirs = await connect(harness.server.address, other)
    const borrowed = wireTo(harness.server.address, { ...mine.on, authorization: `Bearer ${other}` })
    expect((await borrowed.post(call(1, 'heartbeat'))).status).toBe(404)
    expect((await borrowed.get()).status).toBe(404)
    expect((await borrowed.delete()).status).toBe(404)
    const asking = { arguments: { prompt_text: 'between us' }, _meta: { progressToken: 1 } }
    const stream = linesOf(await mine.wire.post(call(2, 'forward_prompt', asking)))
    const first = await stream.next()
    const resumed = await theirs.wire.get({ 'last-event-id': first?.id ?? '' })
    expect(JSON.stringify(await linesOf(resumed).next())).not.toContain('between us')
    await stream.leave()
  })

  it('can’t approve itself with an ask that names other files than it writes', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({ enabled: true, file_patterns: { write: ['**', 'docs/**'], read: ['**'] } })
    await mkdir(join(agent.place.path, 'docs'))
    const said = [{ path: 'docs/a.md', hash: 'new_file' }]
    const onto = (name: string) => `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+{"enabled":true,"tools":["x"]}\n`
    const diffs = [
      onto('.signalbox/settings.json'),
      onto('docs/./../.signalbox/settings.json'),
      onto('docs/a.md') + onto('.signalbox/more.json'),
      `diff --git a/docs/a.md b/.signalbox/x.json\nsimilarity index 100%\nrename from docs/a.md\nrename to .signalbox/x.json\n`,
      `diff --git a/docs/a.md b/docs/a.md\n${onto('.signalbox/x.json')}`,
      onto('"\\056signalbox/x.json"'),
      onto('.SIGNALBOX/x.json\r'),
      onto('src/b.ts'),
    ]
    for (const diff of diffs)
      for (const files of [said, []]) {
        const subject = { kind: 'diff', filePath: 'docs/a.md', diff, files }
        const ask = await asAgent().send('POST', `/api/sessions/${agent.sessionId}/asks`, {
          body: { title: 'x', subject },
        })
        if (ask.status >= 400) continue
        const { id } = ask.body as FullAsk
        const applied = await agent.call('accept_diff', { request_id: id, force: true })
        expect(applied, diff).toMatchObject({ isError: true })
      }
    expect(await agent.place.read('.signalbox/settings.json')).not.toContain('tools')
    for (const name of ['.signalbox/x.json', '.signalbox/more.json', 'src/b.ts'])
      expect(await agent.place.read(name), name).toBeNull()
  })

  it('can’t decide anything through any endpoint: neither asks, nor rules, nor restores', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('check_auto_approve', { kind: 'terminal_command', tool_name: 'make all' })
    const { token } = await newToken(harness.owner, { name: 'tied', scope: 'agent', sessionId: agent.sessionId })
    const { checkpoint_id: checkpoint } = await agent.call('create_checkpoint')
    for (const api of [asAgent(), asAgent(token)]) {
      const refused = async (path: string, body: Record<string, unknown> = {}) =>
        expect((await api.send('POST', path, { body })).status, path).toBeGreaterThanOrEqual(403)
      await refused(`/api/asks/${ask.id}/answer`, approve)
      await refused(`/api/asks/${ask.id}/undo`)
      await refused(`/api/checkpoints/${String(checkpoint)}/restore`, { confirm: true })
      await refused(`/api/checkpoints/${String(checkpoint)}/restore`, { confirm: false })
      await refused(`/api/policy/rules/${randomUUID()}/confirm`)
      await refused(`/api/sessions/${agent.sessionId}/stall`, { paused: true })
      await refused(`/api/sessions/${agent.sessionId}/resume`)
      await refused(`/api/sessions/${agent.sessionId}/prompt`, { text: 'go on' })
      await refused('/api/tokens', { name: 'more', scope: 'full' })
    }
    expect((await harness.ask(ask.id)).status).toBe('open')
    await harness.answer(ask, { outcome: 'reject' })
    expect(await done).toMatchObject({ auto_approved: false })
  })

  it('counts as one person however many tokens it has', async () => {
    await using agent = await harness.connect()
    const subject = { kind: 'command', command: 'make all', cwd: agent.place.path }
    const ask = await asAgent().post<FullAsk>(`/api/sessions/${agent.sessionId}/asks`, {
      title: 'x',
      subject,
      needed: 2,
    })
    const { token } = await newToken(harness.owner, { name: 'mine', scope: 'full' })
    const callers = [harness.owner, harness.server.api(token), harness.owner, harness.server.api(token)]
    const votes = await Promise.all(
      callers.map((caller) => caller.send('POST', `/api/asks/${ask.id}/answer`, { body: approve })),
    )
    expect(votes.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await harness.ask(ask.id)).status).toBe('open')
  })

  it('can’t have its workspace in the data directory', async () => {
    for (const root of [harness.server.home, dirname(harness.server.socket)]) {
      const id = randomUUID()
      const body = { id, protocolMode: 'mcp', workspaceRoot: root }
      const started = await asAgent().send('POST', '/api/sessions', { body })
      expect(started.status).toBe(403)
    }
  })
})
