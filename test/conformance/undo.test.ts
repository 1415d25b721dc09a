import { chmod, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, read, type AgentsHarness } from './agents-harness.ts'
import { approve, gitDiff, type Agent, type McpHarness } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { until } from '../support/until.ts'
import { newPerson } from './people.ts'

describe('undoing approved changes', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Approved and applied. */
  async function change(agent: Agent, file_path: string, diff: string): Promise<string> {
    const { ask, done } = await agent.begin('ask_approval', { title: 'A change', file_path, diff })
    await harness.answer(ask, approve)
    await done
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
    return ask.id
  }

  it('B8 restores changed, new and deleted files: bytes and modes', async () => {
    await using agent = await harness.connect()
    const { place } = agent
    const before = { 'a.txt': 'one\r\ntwo\r\n', 'gone.txt': 'no newline', 'new/deep/n.txt': null }
    await place.write('a.txt', before['a.txt'])
    await place.write('gone.txt', before['gone.txt'])
    await chmod(join(place.path, 'a.txt'), 0o755)
    const diff = await gitDiff(before, { 'a.txt': 'one\r\n2\r\n', 'gone.txt': null, 'new/deep/n.txt': 'n\n' })
    const id = await change(agent, 'a.txt', diff)
    expect(await place.read('gone.txt')).toBeNull()
    expect(await place.read('new/deep/n.txt')).toBe('n\n')
    const undone = await harness.owner.post<{ ask: { undoneAt: string }; restored: { path: string }[] }>(
      `/api/asks/${id}/undo`,
      {},
    )
    expect(undone.ask.undoneAt).toEqual(expect.any(String))
    expect(undone.restored).toHaveLength(3)
    expect(undone.restored).toContainEqual({ path: 'new/deep/n.txt', outcome: 'removed' })
    expect(undone.restored).toContainEqual({ path: 'a.txt', outcome: 'restored' })
    expect(undone.restored).toContainEqual({ path: 'gone.txt', outcome: 'restored' })
    expect(await place.read('a.txt')).toBe(before['a.txt'])
    expect(await place.read('gone.txt')).toBe(before['gone.txt'])
    expect(await place.read('new/deep/n.txt')).toBeNull()
    expect((await stat(join(place.path, 'a.txt'))).mode & 0o777).toBe(0o755)
    await expect(stat(join(place.path, 'new'))).rejects.toThrow('ENOENT')
  })

  it('B8 from the command line', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const id = await change(agent, 'a.txt', 'two\n')
    const ran = await harness.server.cli('undo', id)
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('a.txt') })
    expect(await agent.place.read('a.txt')).toBe('one\n')
    const again = await harness.server.cli('undo', id)
    expect(again.code).not.toBe(0)
  })

  it('B8 a file that changed since stays: the conflict says which file and why, and nothing changes', async () => {
    await using agent = await harness.connect()
    const { place } = agent
    await place.write('a.txt', 'one\n')
    await place.write('b.txt', 'one\n')
    const diff = await gitDiff({ 'a.txt': 'one\n', 'b.txt': 'one\n' }, { 'a.txt': 'two\n', 'b.txt': 'two\n' })
    const id = await change(agent, 'a.txt', diff)
    await place.write('b.txt', 'somebody else\n')
    const refused = await harness.owner.refused('POST', `/api/asks/${id}/undo`, {})
    expect(refused).toMatchObject({
      status: 409,
      code: 'undo_conflict',
      details: { files: [{ path: 'b.txt', why: expect.any(String) }] },
    })
    expect(refused.message).toContain('b.txt')
    expect([await place.read('a.txt'), await place.read('b.txt')]).toEqual(['two\n', 'somebody else\n'])
    const cli = await harness.server.cli('undo', id)
    expect(cli.code).not.toBe(0)
    expect(cli.stderr).toContain('b.txt')
    await place.write('b.txt', 'two\n')
    await harness.owner.post(`/api/asks/${id}/undo`, {})
    expect([await place.read('a.txt'), await place.read('b.txt')]).toEqual(['one\n', 'one\n'])
  })

  it('B8 a second undo is refused, and nothing changes', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const id = await change(agent, 'a.txt', 'two\n')
    await harness.owner.post(`/api/asks/${id}/undo`, {})
    await agent.place.write('a.txt', 'two\n')
    expect((await harness.owner.refused('POST', `/api/asks/${id}/undo`, {})).status).toBe(409)
    expect(await agent.place.read('a.txt')).toBe('two\n')
    expect(await agent.call('accept_diff', { request_id: id })).toMatchObject({
      isError: true,
      error_code: 'already_consumed',
    })
  })

  it('B8 of two simultaneous undos one is done', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const id = await change(agent, 'a.txt', 'two\n')
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => harness.owner.send('POST', `/api/asks/${id}/undo`, { body: {} })),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await agent.place.read('a.txt')).toBe('one\n')
  })

  it('B8 later changes are undone first, then earlier ones', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const first = await change(agent, 'a.txt', 'two\n')
    const second = await change(agent, 'a.txt', 'three\n')
    expect((await harness.owner.refused('POST', `/api/asks/${first}/undo`, {})).code).toBe('undo_conflict')
    await harness.owner.post(`/api/asks/${second}/undo`, {})
    await harness.owner.post(`/api/asks/${first}/undo`, {})
    expect(await agent.place.read('a.txt')).toBe('one\n')
  })

  it('B8 R3 only the owner may undo: no stranger, no agent', async () => {
    await using agent = await harness.connect()
    const id = await change(agent, 'a.txt', 'two\n')
    const ann = await newPerson(harness.server, 'Ann')
    expect((await ann.api.refused('POST', `/api/asks/${id}/undo`, {})).status).toBe(404)
    expect((await harness.server.api(harness.token).refused('POST', `/api/asks/${id}/undo`, {})).status).toBe(403)
    expect(await agent.place.read('a.txt')).toBe('two\n')
  })

  it('B8 an ask that was not applied has nothing to undo', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', { title: 'A', file_path: 'a.txt', diff: 'two\n' })
    expect((await harness.owner.refused('POST', `/api/asks/${ask.id}/undo`, {})).status).toBe(409)
    await harness.answer(ask, approve)
    await done
    expect(await harness.owner.refused('POST', `/api/asks/${ask.id}/undo`, {})).toMatchObject({
      status: 409,
      code: 'nothing_to_undo',
    })
    expect(await agent.place.read('a.txt')).toBeNull()
  })

  it('B8 what a policy approved can be undone as well', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({ enabled: true, file_patterns: { write: ['docs/**'] } })
    await agent.place.write('docs/a.md', 'one\n')
    const said = await agent.call('ask_approval', { title: 'Docs', file_path: 'docs/a.md', diff: 'two\n' })
    const id = String(said['request_id'])
    await agent.call('accept_diff', { request_id: id })
    expect(await agent.place.read('docs/a.md')).toBe('two\n')
    await harness.owner.post(`/api/asks/${id}/undo`, {})
    expect(await agent.place.read('docs/a.md')).toBe('one\n')
  })

  it('B8 a missing workspace is reported, and nothing is created', async () => {
    await using agent = await harness.connect()
    const id = await change(agent, 'a.txt', 'two\n')
    await rename(agent.place.path, `${agent.place.path}-gone`)
    expect(await harness.owner.refused('POST', `/api/asks/${id}/undo`, {})).toMatchObject({
      code: 'workspace_missing',
      message: expect.stringContaining(agent.place.path),
    })
    await expect(stat(agent.place.path)).rejects.toThrow('ENOENT')
  })

  it('B8 works after kill -9 and after the session has ended', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const id = await change(agent, 'a.txt', 'two\n')
    await agent.leave()
    await harness.crash()
    await harness.owner.post(`/api/asks/${id}/undo`, {})
    expect(await agent.place.read('a.txt')).toBe('one\n')
  })
})

describe('undo of edits by hosted agents', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('B8 an edit and a new file that the agent wrote itself are undone', async () => {
    const place = await harness.workspace()
    const session = await harness.start({ workspaceRoot: place })
    const written = await harness.prompt(session, '/write a.txt first')
    const created = await harness.openAsk(session)
    await harness.answer(created, approve)
    await harness.settled(written)
    const first = await read(place, 'a.txt')
    const edited = await harness.prompt(session, '/edit a.txt first => second')
    const change = await harness.openAsk(session)
    await harness.answer(change, approve)
    await harness.settled(edited)
    expect(await read(place, 'a.txt')).toContain('second')
    expect(await harness.api.post(`/api/asks/${change.id}/undo`, {})).toMatchObject({
      restored: [{ path: 'a.txt', outcome: 'restored' }],
    })
    expect(await read(place, 'a.txt')).toBe(first)
    expect(await harness.api.post(`/api/asks/${created.id}/undo`, {})).toMatchObject({
      restored: [{ path: 'a.txt', outcome: 'removed' }],
    })
    expect(await read(place, 'a.txt')).toBeNull()
  })

  it('B8 a rejected edit, and a command, have nothing to undo', async () => {
    const session = await harness.start()
    const writing = await harness.prompt(session, '/write a.txt x')
    const edit = await harness.openAsk(session)
    await harness.answer(edit, { outcome: 'reject' })
    await harness.settled(writing)
    const running = await harness.prompt(session, '/run true')
    const command = await harness.openAsk(session)
    await harness.answer(command, approve)
    await harness.settled(running)
    for (const { id } of [edit, command])
      expect(await harness.api.refused('POST', `/api/asks/${id}/undo`, {})).toMatchObject({
        status: 409,
        code: 'nothing_to_undo',
      })
  })

  it('B8 an edit that differs from what was approved is not undone without force', async () => {
    const place = await harness.workspace()
    const session = await harness.start({ workspaceRoot: place })
    const cheating = await harness.prompt(session, '/cheat a.txt fair')
    const ask = await harness.openAsk(session)
    await harness.answer(ask, approve)
    await harness.settled(cheating)
    const before = await read(place, 'a.txt')
    const refused = await harness.api.refused('POST', `/api/asks/${ask.id}/undo`, {})
    expect(refused).toMatchObject({ code: 'undo_conflict', details: { files: [{ path: 'a.txt' }] } })
    expect(await read(place, 'a.txt')).toBe(before)
  })

  it('B8 an edit that differs from what was approved is undone by the command its alert names', async () => {
    const place = await harness.workspace()
    await writeFile(join(place, 'a.txt'), 'of old\n')
    const session = await harness.start({ workspaceRoot: place })
    const cheating = await harness.prompt(session, '/cheat a.txt fair')
    const ask = await harness.openAsk(session)
    await harness.answer(ask, approve)
    await harness.settled(cheating)
    const wrote = await read(place, 'a.txt')
    const words = await until(async () => {
      const { messages } = await harness.detail(session)
      return /signalbox (undo \S+ --force)/.exec(JSON.stringify(messages))?.[1]?.split(' ')
    })
    expect(words).toEqual(['undo', ask.id, '--force'])
    const ran = await harness.server.cli(...words)
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('restored a.txt') })
    expect(await read(place, 'a.txt')).toBe('of old\n')
    const kept = join(harness.server.home, 'undo', ask.id)
    const found = (await readdir(kept)).filter((name) => name.startsWith('found-'))
    expect(await Promise.all(found.map((name) => read(kept, name)))).toEqual([wrote])
  })
})
