import { createHash } from 'node:crypto'
import { chmod, lstat, readFile, readlink, rename, rm, stat, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { git } from './agents-harness.ts'
import { approve, type Agent, type McpHarness, type Place } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { newPerson } from './people.ts'

type Checkpoint = {
  id: string
  sessionId: string
  label: string | null
  reason: string
  fileCount: number
  tree: string
  progressSnapshot: unknown
  sessionState: { prompt: string | null; mode: string; queue: { text: string; when: string }[] }
  createdAt: string
}
type Paths = { count: number; paths: string[] }
type Looked = { confirmed: false; diverged: { modified: Paths; deleted: Paths; added: Paths } }
type Done = {
  confirmed: true
  before: Checkpoint
  restored: Paths
  recreated: Paths
  kept: Paths
  removed: Paths
  failed: unknown[]
}

const nothing = { count: 0, paths: [] }
const only = (...paths: string[]) => ({ count: paths.length, paths })

describe.each(['a Git repository', 'a plain directory'])('checkpoints of %s', (kind) => {
  const isGit = kind === 'a Git repository'
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function newPlace(): Promise<Place> {
    const place = await harness.place()
    await place.write('a.txt', 'one\n')
    await place.write('sub/b.bin', Buffer.from([0, 255, 13, 10, 0]))
    await place.write('run.sh', '#!/bin/sh\n')
    await chmod(join(place.path, 'run.sh'), 0o755)
    await symlink('a.txt', join(place.path, 'link'))
    await place.write('.gitignore', 'ignored/\n*.log\n')
    await place.write('ignored/x.txt', 'not kept\n')
    if (isGit) {
      git(place.path, 'init', '--quiet', '--initial-branch=main')
      git(place.path, 'add', '.')
      git(place.path, 'commit', '--quiet', '--message=first')
    }
    return place
  }
  const connect = async (): Promise<Agent> => harness.connect({ place: await newPlace() })
  const list = async (id: string) =>
    (await harness.owner.get<{ checkpoints: Checkpoint[] }>(`/api/sessions/${id}/checkpoints`)).checkpoints
  const create = (id: string, label?: string) =>
    harness.owner.post<Checkpoint>(`/api/sessions/${id}/checkpoints`, label === undefined ? {} : { label })
  const look = (id: string) => harness.owner.post<Looked>(`/api/checkpoints/${id}/restore`, {})
  const restore = (id: string, more: object = {}) =>
    harness.owner.post<Done>(`/api/checkpoints/${id}/restore`, { confirm: true, ...more })
  const write = async (agent: Agent, file_path: string, diff: string) => {
    const { ask, done } = await agent.begin('ask_approval', { title: 'Write', file_path, diff })
    await harness.answer(ask, approve)
    await done
    await agent.call('accept_diff', { request_id: ask.id })
  }

  it('R15 R18 made by the tool, the API and the command line, listed newest first', async () => {
    await using agent = await connect()
    const made = await agent.call('create_checkpoint', { label: 'by the agent' })
    expect(made).toMatchObject({ label: 'by the agent', file_count: 5, checkpoint_id: expect.any(String) })
    const second = await create(agent.sessionId, 'by a person')
    expect(second).toMatchObject({ label: 'by a person', reason: 'person', fileCount: 5 })
    const cli = await harness.server.cli('checkpoint', agent.sessionId, '--label', 'at a terminal', '--json')
    expect(cli.code).toBe(0)
    const third = JSON.parse(cli.stdout) as Checkpoint
    const shown = (await list(agent.sessionId)).filter(({ reason }) => reason !== 'start')
    expect(shown.map(({ id }) => id)).toEqual([third.id, second.id, made['checkpoint_id']])
    expect(shown.map(({ reason }) => reason)).toEqual(['person', 'person', 'tool'])
    expect(new Set(shown.map(({ tree }) => tree)).size).toBe(1)
    const { checkpoints } = (await agent.call('list_checkpoints')) as unknown as {
      checkpoints: { checkpoint_id: string; label: string }[]
    }
    expect(checkpoints.slice(0, 3).map(({ label }) => label)).toEqual(['at a terminal', 'by a person', 'by the agent'])
    const table = await harness.server.cli('checkpoints', agent.sessionId)
    expect(table).toMatchObject({ code: 0, stdout: expect.stringContaining('at a terminal') })
  })

  it('R5 R18 the SHA-256 of each of its files can be read, in pages, also after the workspace is gone', async () => {
    await using agent = await connect()
    const { place } = agent
    const content = new Map<string, string>()
    for (const path of [
      'dir/a',
      'dir.txt',
      'dir-b/c',
      'dir/a/../z',
      'Ä',
      'with space',
      'line\nbreak',
      '0',
      'dir/deep/er/x',
    ])
      content.set(path.replace('a/../', ''), `${path}\n`)
    for (let number = 0; number < 250; number += 1) content.set(`many/${number % 7}/${number}`, `${number}`)
    for (const [path, text] of content) await place.write(path, text)
    const { id, fileCount } = await create(agent.sessionId)
    await rename(place.path, `${place.path}.gone`)
    type File = { path: string; kind: string; sha256: string; mode: string | null; size: number | null }
    const all: File[] = []
    for (let next: string | null = ''; next !== null;) {
      const after: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`
      const page: { files: File[]; next: string | null } = await harness.owner.get(
        `/api/checkpoints/${id}/files?limit=40${after}`,
      )
      expect(page.files.length).toBeLessThanOrEqual(40)
      all.push(...page.files)
      ;({ next } = page)
    }
    expect(all).toHaveLength(fileCount)
    const found = new Map(all.map((file) => [file.path, file]))
    expect(found.size).toBe(fileCount)
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    for (const [path, text] of content)
      expect(found.get(path)).toMatchObject({ kind: 'file', sha256: sha256(text), size: Buffer.byteLength(text) })
    expect(found.get('run.sh')).toMatchObject({ mode: '755' })
    expect(found.get('link')).toEqual({ path: 'link', kind: 'link', sha256: sha256('a.txt'), mode: null, size: null })
    const cli = await harness.server.cli('checkpoints', 'show', id, '--files')
    expect(cli.stdout.trimEnd().split('\n')).toHaveLength(fileCount)
    expect(cli.stdout).toContain(`${sha256('one\n')}  a.txt\n`)
    expect(await harness.server.cli('checkpoints', 'show', id)).toMatchObject({ stdout: expect.stringContaining(id) })
  })

  it(`R18 at the start of a session ${isGit ? 'one is made' : 'none is made'}`, async () => {
    await using agent = await connect()
    const atStart = async () => (await list(agent.sessionId)).filter(({ reason }) => reason === 'start').length
    const expected = isGit ? 1 : 0
    await create(agent.sessionId)
    await until(async () => (await atStart()) >= expected, { seconds: 30 })
    expect(await atStart()).toBe(expected)
  })

  it('R18 without confirmation a restore lists what diverged, and changes nothing', async () => {
    await using agent = await connect()
    const { place } = agent
    const { id } = await create(agent.sessionId)
    expect((await look(id)).diverged).toEqual({ modified: nothing, deleted: nothing, added: nothing })
    await place.write('a.txt', 'two\n')
    await unlink(join(place.path, 'sub', 'b.bin'))
    await place.write('new.txt', 'new\n')
    await place.write('ignored/y.txt', 'ignored\n')
    const looked = await look(id)
    expect(looked.confirmed).toBe(false)
    expect(looked.diverged).toEqual({ modified: only('a.txt'), deleted: only('sub/b.bin'), added: only('new.txt') })
    expect(await place.read('a.txt')).toBe('two\n')
    expect(await agent.detail()).toMatchObject({ status: 'active' })
  })

  it('R18 the command line without a terminal and without --yes changes nothing', async () => {
    await using agent = await connect()
    const { id } = await create(agent.sessionId)
    await agent.place.write('a.txt', 'two\n')
    const ran = await harness.server.cli('restore', id)
    expect(ran.code).not.toBe(0)
    expect(ran.stdout).toContain('a.txt')
    expect(ran.stderr).toContain('--yes')
    expect(await agent.place.read('a.txt')).toBe('two\n')
    expect(await agent.detail()).toMatchObject({ status: 'active' })
    expect(await harness.server.cli('restore', id, '--yes')).toMatchObject({ code: 0 })
    expect(await agent.place.read('a.txt')).toBe('one\n')
  })

  it('R18 restored: bytes, modes and links are back, and the live session is terminated', async () => {
    await using agent = await connect()
    const { place } = agent
    const { id } = await create(agent.sessionId)
    await place.write('a.txt', 'two\n')
    await rm(join(place.path, 'sub'), { recursive: true })
    await chmod(join(place.path, 'run.sh'), 0o644)
    await unlink(join(place.path, 'link'))
    await place.write('link', 'no link any more')
    const done = await restore(id)
    expect(done).toMatchObject({ confirmed: true, kept: nothing, removed: nothing, failed: [] })
    expect([...done.restored.paths, ...done.recreated.paths].toSorted()).toEqual([
      'a.txt',
      'link',
      'run.sh',
      'sub/b.bin',
    ])
    expect(await place.read('a.txt')).toBe('one\n')
    expect(await readFile(join(place.path, 'sub', 'b.bin'))).toEqual(Buffer.from([0, 255, 13, 10, 0]))
    expect((await stat(join(place.path, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect((await lstat(join(place.path, 'link'))).isSymbolicLink()).toBe(true)
    expect(await readlink(join(place.path, 'link'))).toBe('a.txt')
    expect(await agent.detail()).toMatchObject({ status: 'terminated' })
    expect((await look(id)).diverged).toEqual({ modified: nothing, deleted: nothing, added: nothing })
  })

  it('R18 the state before a restore is a checkpoint of its own, which brings everything back', async () => {
    await using agent = await connect()
    const { place } = agent
    const { id } = await create(agent.sessionId)
    await place.write('a.txt', 'two\n')
    await place.write('new.txt', 'new\n')
    const { before } = await restore(id)
    expect(before).toMatchObject({ reason: 'before_restore' })
    expect((await list(agent.sessionId))[0]).toMatchObject({ id: before.id })
    await rm(join(place.path, 'new.txt'))
    await restore(before.id)
    expect([await place.read('a.txt'), await place.read('new.txt')]).toEqual(['two\n', 'new\n'])
  })

  it('R18 new files are kept and listed; remove_new removes only files that approved writes created', async () => {
    await using agent = await connect()
    const { place } = agent
    const { id } = await create(agent.sessionId)
    await write(agent, 'made/by-agent.txt', 'mine\n')
    await write(agent, 'made/touched.txt', 'mine\n')
    await place.write('made/touched.txt', 'somebody else\n')
    await place.write('by-hand.txt', 'a person\n')
    const first = await restore(id)
    expect(first).toMatchObject({
      kept: only('by-hand.txt', 'made/by-agent.txt', 'made/touched.txt'),
      removed: nothing,
    })
    const second = await restore(id, { removeNew: true })
    expect(second).toMatchObject({
      kept: only('by-hand.txt', 'made/touched.txt'),
      removed: only('made/by-agent.txt'),
    })
    expect(await place.read('by-hand.txt')).toBe('a person\n')
    expect(await place.read('made/touched.txt')).toBe('somebody else\n')
    expect(await place.read('made/by-agent.txt')).toBeNull()
    expect(await place.read('ignored/x.txt')).toBe('not kept\n')
  })

  it('R18 a link that replaced a file can’t lead a restore out of the workspace', async () => {
    await using agent = await connect()
    const { place } = agent
    const outside = await harness.place()
    await outside.write('a.txt', 'outside\n')
    await outside.write('b.bin', 'outside\n')
    const { id } = await create(agent.sessionId)
    await rm(join(place.path, 'sub'), { recursive: true })
    await symlink(outside.path, join(place.path, 'sub'))
    await unlink(join(place.path, 'a.txt'))
    await symlink(join(outside.path, 'a.txt'), join(place.path, 'a.txt'))
    await restore(id)
    expect([await outside.read('a.txt'), await outside.read('b.bin')]).toEqual(['outside\n', 'outside\n'])
    expect(await place.read('a.txt')).toBe('one\n')
    expect((await lstat(join(place.path, 'a.txt'))).isFile()).toBe(true)
  })

  it('R18 survives kill -9 between making and restoring', async () => {
    await using agent = await connect()
    const { id } = await create(agent.sessionId)
    await agent.place.write('a.txt', 'two\n')
    await harness.crash()
    await restore(id)
    expect(await agent.place.read('a.txt')).toBe('one\n')
  })

  it('R3 R18 only the owner may restore: no stranger, no agent', async () => {
    await using agent = await connect()
    const { id } = await create(agent.sessionId)
    await agent.place.write('a.txt', 'two\n')
    const ann = await newPerson(harness.server, 'Ann')
    for (const confirm of [false, true]) {
      expect((await ann.api.refused('POST', `/api/checkpoints/${id}/restore`, { confirm })).status).toBe(404)
      const own = await harness.server.api(harness.token).refused('POST', `/api/checkpoints/${id}/restore`, { confirm })
      expect([403, 404]).toContain(own.status)
    }
    expect((await ann.api.refused('POST', `/api/sessions/${agent.sessionId}/checkpoints`, {})).status).toBe(404)
    expect((await ann.api.refused('GET', `/api/checkpoints/${id}`)).status).toBe(404)
    expect(await agent.place.read('a.txt')).toBe('two\n')
    expect(await agent.detail()).toMatchObject({ status: 'active' })
  })

  it('R18 resuming starts a successor with the checkpoint’s prompt, mode, progress and queue', async () => {
    const place = await newPlace()
    const prompt = 'Build the thing'
    const session = await harness.owner.post<{ id: string }>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: place.path,
      prompt,
      mode: 'local',
    })
    await using agent = await harness.connect({
      place,
      token: (
        await harness.owner.post<{ token: string }>('/api/tokens', {
          name: 'its agent',
          scope: 'agent',
          sessionId: session.id,
        })
      ).token,
    })
    expect(agent.sessionId).toBe(session.id)
    const progress = [{ label: 'build', status: 'in_progress' }]
    await agent.call('heartbeat', { progress_snapshot: progress })
    await harness.say(session.id, 'then test it', 'later')
    await harness.say(session.id, 'then ship it', 'later')
    const checkpoint = await create(session.id)
    expect(checkpoint.sessionState).toMatchObject({ prompt, mode: 'local' })
    await agent.call('heartbeat', { progress_snapshot: [{ label: 'build', status: 'done' }] })
    await agent.call('set_operational_mode', { mode: 'hybrid' })
    await harness.say(session.id, 'words of the future', 'later')
    await restore(checkpoint.id)
    const next = await harness.owner.post<{ id: string }>(`/api/sessions/${session.id}/restart`, {
      checkpointId: checkpoint.id,
    })
    const detail = await harness.session(next.id)
    expect(detail).toMatchObject({ restartOf: session.id, prompt, mode: 'local', progressSnapshot: progress })
    const waiting = (await harness.queue(next.id)).filter(({ status }) => status === 'waiting')
    expect(waiting.map(({ text }) => text)).toEqual(['then test it', 'then ship it'])
    expect(await harness.session(session.id)).toMatchObject({ status: 'terminated' })
    const { checkpoints } = await harness.owner.get<{ checkpoints: Checkpoint[] }>(
      `/api/sessions/${next.id}/checkpoints`,
    )
    expect(checkpoints.map(({ id }) => id)).toContain(checkpoint.id)
  })

  it('R18 several at once: each checkpoint is complete, and two restores do not mix', async () => {
    await using agent = await connect()
    const { place } = agent
    const first = await create(agent.sessionId)
    await place.write('a.txt', 'two\n')
    await place.write('run.sh', 'two\n')
    const made = await Promise.all(Array.from({ length: 5 }, () => create(agent.sessionId)))
    expect(new Set(made.map(({ tree }) => tree)).size).toBe(1)
    await place.write('a.txt', 'three\n')
    const replies = await Promise.all(
      [first, made[0]!].map(({ id }) =>
        harness.owner.send('POST', `/api/checkpoints/${id}/restore`, { body: { confirm: true } }),
      ),
    )
    expect(replies.some(({ status }) => status === 200)).toBe(true)
    expect(replies.every(({ status }) => status !== 500)).toBe(true)
    const now = [await place.read('a.txt'), await place.read('run.sh')]
    expect([
      ['one\n', '#!/bin/sh\n'],
      ['two\n', 'two\n'],
    ]).toContainEqual(now)
  })

  it('R18 a missing workspace is reported', async () => {
    await using agent = await connect()
    const { id } = await create(agent.sessionId)
    await rename(agent.place.path, `${agent.place.path}-gone`)
    for (const [path, body] of [
      [`/api/sessions/${agent.sessionId}/checkpoints`, {}],
      [`/api/checkpoints/${id}/restore`, {}],
      [`/api/checkpoints/${id}/restore`, { confirm: true }],
    ] as const)
      expect(await harness.owner.refused('POST', path, body)).toMatchObject({
        code: 'workspace_missing',
        message: expect.stringContaining(agent.place.path),
      })
    expect(await agent.detail()).toMatchObject({ status: 'active' })
  })

  it('R18 a session can’t continue from a checkpoint of another session', async () => {
    await using one = await connect()
    await using other = await connect()
    const { id } = await create(other.sessionId)
    const refused = await harness.owner.refused('POST', `/api/sessions/${one.sessionId}/restart`, { checkpointId: id })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.status).toBeLessThan(500)
    expect(await one.detail()).toMatchObject({ status: 'active' })
  })
})
