import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { newRepo, openAgentsHarness, read, type AgentsHarness } from './agents-harness.ts'

type Checkpoint = { id: string; reason: string; fileCount: number }

describe('checkpoints of hosted agents', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const list = async ({ id }: { id: string }) =>
    (await harness.api.get<{ checkpoints: Checkpoint[] }>(`/api/sessions/${id}/checkpoints`)).checkpoints

  it('R18 a restore ends the live agent in the middle of its turn, then restores the files', async () => {
    const place = await harness.workspace()
    await writeFile(join(place, 'a.txt'), 'one\n')
    const session = await harness.start({ workspaceRoot: place })
    const checkpoint = await harness.api.post<Checkpoint>(`/api/sessions/${session.id}/checkpoints`, {})
    await writeFile(join(place, 'a.txt'), 'two\n')
    await harness.prompt(session, '/ignore-cancel\n/stall forever')
    await until(async () => (await harness.detail(session)).agentState?.turn)
    expect(harness.running(session).length).toBeGreaterThan(0)
    await harness.api.post(`/api/checkpoints/${checkpoint.id}/restore`, { confirm: true })
    expect(await harness.detail(session)).toMatchObject({ status: 'terminated' })
    expect(harness.running(session)).toEqual([])
    expect(await read(place, 'a.txt')).toBe('one\n')
  })

  it('R18 continuing from a checkpoint starts an agent again, in the same directory', async () => {
    const place = await harness.workspace()
    const session = await harness.start({ workspaceRoot: place })
    await harness.say(session, '/say hello')
    const checkpoint = await harness.api.post<Checkpoint>(`/api/sessions/${session.id}/checkpoints`, {})
    await harness.api.post(`/api/checkpoints/${checkpoint.id}/restore`, { confirm: true })
    const next = await harness.api.post<{ id: string }>(`/api/sessions/${session.id}/restart`, {
      checkpointId: checkpoint.id,
    })
    expect(await harness.detail(next)).toMatchObject({ status: 'active', restartOf: session.id, workspaceRoot: place })
    expect(await harness.say(next, '/say here')).toContain('here')
  })

  it('R18 an open ask of the ended session is interrupted', async () => {
    const session = await harness.start()
    const checkpoint = await harness.api.post<Checkpoint>(`/api/sessions/${session.id}/checkpoints`, {})
    await harness.prompt(session, '/write a.txt x')
    const ask = await harness.openAsk(session)
    await harness.api.post(`/api/checkpoints/${checkpoint.id}/restore`, { confirm: true })
    const now = await harness.api.get<{ status: string }>(`/api/asks/${ask.id}`)
    expect(['interrupted', 'cancelled']).toContain(now.status)
  })

  it('R18 in a repo, one is made at the start without touching the repo’s own state', async () => {
    const repo = await newRepo(harness)
    await writeFile(join(repo.path, 'a.txt'), 'one\n')
    const session = await harness.start({ repoId: repo.id })
    await until(async () => (await list(session)).some(({ reason }) => reason === 'start'), { seconds: 30 })
    const status = execFileSync('git', ['status', '--porcelain'], { cwd: repo.path, encoding: 'utf8' })
    expect(status).toBe('?? a.txt\n')
  })
})
