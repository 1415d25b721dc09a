import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMcpHarness, type Agent, type McpHarness, type Place } from '../conformance/mcp-harness.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const git = (place: Place, ...args: string[]) => run('git', ['-C', place.path, ...args])

/** Everything in a repo's own configuration that names a program. */
const programs = [
  'core.fsmonitor core.pager pager.ls-files core.sshCommand core.editor core.askPass core.gitProxy diff.external',
  'filter.x.clean filter.x.smudge filter.x.process gpg.program credential.helper core.alternateRefsCommand',
  'uploadpack.packObjectsHook remote.o.uploadpack alias.ls-files alias.rev-parse',
].flatMap((line) => line.split(' '))

describe('workspaces that are traps', () => {
  let harness: McpHarness
  let base: string
  beforeAll(async () => {
    harness = await openMcpHarness({ places: 20 })
    base = await mkdtemp(join(tmpdir(), 'sbt-'))
  })
  afterAll(async () => {
    await harness[Symbol.asyncDispose]()
    await rm(base, { recursive: true, force: true })
  })

  const restore = (id: string) =>
    harness.owner.post<{ restored: string[]; recreated: string[] }>(`/api/checkpoints/${id}/restore`, { confirm: true })

  it('checkpoints run no program that a repo’s configuration names', async () => {
    const place = await harness.place()
    const [mark, program] = [join(base, 'ran'), join(base, 'program')]
    await writeFile(program, `#!/bin/sh\necho "$0 $@" >> ${mark}\ncat\n`)
    await chmod(program, 0o755)
    await git(place, 'init', '-q')
    for (const name of programs) await git(place, 'config', name, program)
    for (const hook of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman', 'post-checkout'])
      await symlink(program, join(place.path, '.git', 'hooks', hook))
    await place.write('.gitattributes', '* filter=x diff=x text eol=crlf ident working-tree-encoding=UTF-16\n')
    await place.write('a.txt', 'one\n')
    await using agent = await harness.connect({ place })
    const { id } = await startKept(harness, agent)
    await place.write('a.txt', 'two\n')
    await restore(id)
    expect(await place.read('a.txt')).toBe('one\n')
    expect(await readFile(mark, 'utf8').catch(() => 'nothing')).toBe('nothing')
  })

  it('a link that replaced a file is replaced by a restore, not followed', async () => {
    await using agent = await harness.connect()
    const { place } = agent
    await place.write('a.txt', 'one\n')
    const { checkpoint_id: id } = await agent.call('create_checkpoint')
    await rm(join(place.path, 'a.txt'))
    await symlink(join(base, 'a.txt'), join(place.path, 'a.txt'))
    await restore(String(id))
    expect(await place.read('a.txt')).toBe('one\n')
    expect(await readFile(join(base, 'a.txt'), 'utf8').catch(() => 'nothing')).toBe('nothing')
  })

  const busy = Array.from({ length: 4000 }, (_, n) => `line ${n}\n`).join('')

  it('comparing files that have nothing in common delays nobody', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', busy)
    const use = (n: number) => ({
      tool_name: 'Write',
      input: { file_path: 'a.txt', content: busy.replaceAll('line', `other ${n}`) },
    })
    const calls = Array.from({ length: 8 }, (_, n) => agent.call('permission_prompt', use(n)))
    const done = all(calls)
    expect(await slowestLook(harness, done.isOver)).toBeLessThan(10_000)
    await done.said
  })

  it('finding where a diff might fit delays nobody', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'x\n'.repeat(200_000))
    const diff = `--- a/a.txt\n+++ b/a.txt\n@@ -5,1001 +5,1000 @@\n${' x\n'.repeat(1000)}-z\n`
    const input = { title: 'x', file_path: 'a.txt', diff }
    const done = all(Array.from({ length: 40 }, () => agent.call('ask_approval', input)))
    expect(await slowestLook(harness, done.isOver)).toBeLessThan(10_000)
    for (const said of await done.said) expect(said).toMatchObject({ isError: true })
  })
})

it.each(['.gitignore', '.git/info/exclude'])('a pipe as %s delays neither others nor the shutdown', async (name) => {
  await using harness = await openMcpHarness({ places: 4 })
  const [place, plain] = [await harness.place(), await harness.place()]
  for (const one of [place, plain]) {
    await git(one, 'init', '-q')
    await one.write('a.txt', 'one\n')
  }
  await place.write(name, '')
  await rm(join(place.path, name))
  await run('mkfifo', [join(place.path, name)])
  await using trapped = await harness.connect({ place })
  await using agent = await harness.connect({ place: plain })
  await startKept(harness, agent)
  trapped.call('create_checkpoint', {}, { held: true }).catch(() => {})
  await expect(harness.server.kill('SIGTERM')).resolves.toBeUndefined()
})

/** The automatic checkpoint. */
const startKept = (harness: McpHarness, agent: Agent) =>
  until(
    async () => {
      const path = `/api/sessions/${agent.sessionId}/checkpoints`
      const { checkpoints } = await harness.owner.get<{ checkpoints: { id: string; reason: string }[] }>(path)
      return checkpoints.find(({ reason }) => reason === 'start')
    },
    { what: 'the checkpoint of the start', seconds: 30 },
  )

function all<T>(calls: readonly Promise<T>[]): { said: Promise<T[]>; isOver(): boolean } {
  let over = false
  const said = Promise.all(calls).finally(() => (over = true))
  said.catch(() => {})
  return { said, isOver: () => over }
}

/** The slowest unrelated request meanwhile, in milliseconds. */
async function slowestLook(harness: McpHarness, isDone: () => boolean): Promise<number> {
  let slowest = 0
  do {
    const began = performance.now()
    await harness.owner.get('/api/status')
    slowest = Math.max(slowest, performance.now() - began)
  } while (!isDone())
  return slowest
}
