import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson } from '../conformance/people.ts'
import { newToken, openAsk, startSession } from '../conformance/work.ts'
import type { Api } from '../support/api.ts'
import { startServer, type Server } from '../support/server.ts'

const gitInit = (path: string) => execFileSync('git', ['-C', path, 'init', '--quiet'])

async function repoBelow(folder: string): Promise<string> {
  const path = join(folder, 'repo')
  await mkdir(path)
  gitInit(path)
  return path
}

describe('delegated sessions and read-only tokens', () => {
  let server: Server
  let folder: string
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sbl-')))
    gitInit(folder)
    server = await startServer({ config: 'max_concurrent_sessions = 100\n' })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  it('S9 a delegate can’t grant an agent a terminal, which it could read after the delegation ends', async () => {
    const owner = server.api()
    const body = { sessionType: 'script', command: ['cat'], cwd: folder }
    const { sessionId } = await owner.post<{ sessionId: string }>('/api/terminals', body)
    const { id: repoId } = await owner.post<{ id: string }>('/api/repos', { path: folder })
    const session = await startSession(owner, { repoId, workspaceRoot: undefined })
    const { token } = await newToken(owner, { scope: 'agent', sessionId: session.id })
    const dora = await newPerson(server, 'Dora')
    for (const id of [sessionId, session.id]) await owner.put(`/api/sessions/${id}/delegates/${dora.id}`)
    const granted = await dora.api.send('POST', `/api/terminals/${sessionId}/grants`, {
      body: { sessionId: session.id },
    })
    await owner.delete(`/api/sessions/${sessionId}/delegates/${dora.id}`)
    const reached = await server.api(token).send('GET', `/api/terminals/${sessionId}`)
    expect([granted.status, reached.status]).toEqual([403, 404])
    await owner.post(`/api/terminals/${sessionId}/end`)
  })

  it('S9 a former delegate sees nothing of a session through the one it continues', async () => {
    const owner = server.api()
    const dora = await newPerson(server, 'Dora')
    const workspaceRoot = join(folder, 'lent')
    await mkdir(workspaceRoot)
    const first = await startSession(owner, { workspaceRoot, prompt: 'the first' })
    await owner.put(`/api/sessions/${first.id}/delegates/${dora.id}`)
    await owner.post(`/api/sessions/${first.id}/checkpoints`, { label: 'lent' })
    await owner.post(`/api/sessions/${first.id}/terminate`, {})
    const prompt = 'a plan of the owner alone'
    const next = await owner.post<{ id: string }>(`/api/sessions/${first.id}/restart`, { prompt })
    await owner.delete(`/api/sessions/${next.id}/delegates/${dora.id}`)
    await owner.post(`/api/sessions/${next.id}/checkpoints`, { label: 'not lent' })
    type Kept = { checkpoints: { sessionId: string; label: string | null }[] }
    const labels = async (api: Api) =>
      (await api.get<Kept>(`/api/sessions/${first.id}/checkpoints`)).checkpoints.map(({ label }) => label)
    expect((await dora.api.send('GET', `/api/sessions/${next.id}`)).status).toBe(404)
    expect(await labels(owner)).toEqual(expect.arrayContaining(['lent', 'not lent']))
    const shown = await dora.api.send('GET', `/api/sessions/${first.id}/checkpoints`)
    expect(shown.text).not.toContain(prompt)
    expect(await labels(dora.api)).toContain('lent')
    expect(await labels(dora.api)).not.toContain('not lent')
  })

  it('S9 a read-only token does not move its person’s read position', async () => {
    const ann = await newPerson(server, 'Ann')
    const { id: repoId } = await server.api().post<{ id: string }>('/api/repos', { path: await repoBelow(folder) })
    const session = await startSession(ann.api, { repoId, workspaceRoot: undefined })
    await ann.api.get('/api/catch-up')
    const ask = await openAsk(ann.api, session)
    const { token } = await newToken(ann.api, { scope: 'read' })
    type Told = { events: { askId: string | null }[] }
    const told = (api: Api) => api.get<Told>('/api/catch-up')
    expect((await told(server.api(token))).events.map(({ askId }) => askId)).toContain(ask.id)
    expect((await told(ann.api)).events.map(({ askId }) => askId)).toContain(ask.id)
  })

  it('S9 a read-only token does not start the installed agents', async () => {
    const { token } = await newToken(server.api(), { scope: 'read' })
    const reader = server.api(token)
    expect(await reader.get('/api/agents')).toMatchObject({ agents: expect.any(Array) })
    expect(await reader.refused('GET', '/api/agents?probe=true')).toMatchObject({
      status: 403,
      code: 'read_only_token',
    })
  })
})
