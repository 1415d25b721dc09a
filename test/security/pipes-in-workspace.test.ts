import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newRepo, openAgentsHarness, type AgentsHarness } from '../conformance/agents-harness.ts'
import { until } from '../support/until.ts'

const pipe = (path: string) => {
  rmSync(path, { recursive: true, force: true })
  execFileSync('mkfifo', [path])
}

/** Processes whose environment or arguments name a directory. */
function programsIn(path: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const [words, env] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'))
        const isGit = /(?:^|\/)(?:git|bwrap)(?:\0|$)/.test(words ?? '')
        return isGit && `${words}\0${env}`.includes(path) ? [`${pid} ${(words ?? '').replaceAll('\0', ' ')}`] : []
      } catch {
        return []
      }
    })
}

const places = [
  '.gitignore',
  '.gitattributes',
  '.git/info/exclude',
  '.git/info/attributes',
  '.git/HEAD',
  '.git/config',
  '.git/index',
  '.git/packed-refs',
  '.git/commondir',
  '.git/objects/info/alternates',
  '.git/worktrees/evil/gitdir',
  'src/.gitignore',
  '.git',
] as const

describe('S2 pipes and devices where Git looks', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  // Each waits for a Git that hangs until it is ended: all of them at once.
  it.concurrent.each(places)(
    'S2 a pipe at %s neither blocks a checkpoint or a worktree, nor leaves a program behind',
    async (at) => {
      const repo = await newRepo(harness)
      await mkdir(join(repo.path, 'src'), { recursive: true })
      await mkdir(join(repo.path, '.git/worktrees/evil'), { recursive: true })
      await writeFile(join(repo.path, 'src/a.txt'), 'a\n')
      const session = await harness.start({ workspaceRoot: repo.path })
      pipe(join(repo.path, at))
      const began = performance.now()
      const made = await harness.api.post<{ fileCount: number }>(`/api/sessions/${session.id}/checkpoints`, {})
      expect(made.fileCount).toBeGreaterThan(0)
      const { status } = await harness.api.send('POST', '/api/sessions', {
        body: { agent: 'practice', isolation: 'none', repoId: repo.id, worktree: true },
      })
      // Making a worktree does not read deep in the work tree.
      expect(status >= 400).toBe(at !== 'src/.gitignore')
      expect(performance.now() - began).toBeLessThan(60_000)
      await until(() => programsIn(repo.path).length === 0, { what: 'the end of every program' })
    },
  )

  it.concurrent.each(['.gitignore', '.git/HEAD', '.git/info/exclude', '.git/config'])(
    'S2 a link to an endless device at %s does not fill the memory',
    async (at) => {
      const repo = await newRepo(harness)
      const session = await harness.start({ workspaceRoot: repo.path })
      rmSync(join(repo.path, at), { force: true })
      symlinkSync('/dev/zero', join(repo.path, at))
      await harness.api.post(`/api/sessions/${session.id}/checkpoints`, {})
      await harness.api.send('POST', '/api/sessions', { body: { agent: 'practice', repoId: repo.id, worktree: true } })
      await until(() => programsIn(repo.path).length === 0, { what: 'the end of every program' })
      expect((await harness.api.send('GET', '/api/status')).status).toBe(200)
    },
  )

  it('S2 a killed server leaves no Git process behind, whatever it waits for', async () => {
    await using other = await openAgentsHarness()
    const repo = await newRepo(other)
    await mkdir(join(repo.path, 'src'), { recursive: true })
    const session = await other.start({ workspaceRoot: repo.path })
    pipe(join(repo.path, 'src/.gitignore'))
    const making = other.api.send('POST', `/api/sessions/${session.id}/checkpoints`, { body: {} }).catch(() => null)
    await until(() => programsIn(repo.path).some((line) => line.includes('ls-files')), { what: 'a Git that waits' })
    await other.server.kill('SIGKILL')
    await making
    expect(await until(() => programsIn(repo.path).length === 0, { what: 'the end of every program' })).toBe(true)
  })
})
