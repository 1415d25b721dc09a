import { chmod, mkdir, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, gitDiff, openMcpHarness, reject, type Agent, type McpHarness } from './mcp-harness.ts'
import { exportLog } from './work.ts'

const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }

describe('accept_diff', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function approved(agent: Agent, input: Record<string, unknown> = whole): Promise<string> {
    const { ask, done } = await agent.begin('ask_approval', input)
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved' })
    return ask.id
  }

  it('R7 writes exactly what was approved, reports the bytes, and consumes the ask', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent, { ...whole, diff: 'grüße\n', file_path: 'deep/er/a.txt' })
    expect(await agent.place.read('deep/er/a.txt')).toBeNull()
    expect(await agent.call('accept_diff', { request_id })).toEqual({
      status: 'applied',
      files_written: [{ path: 'deep/er/a.txt', bytes: Buffer.byteLength('grüße\n') }],
      isError: false,
    })
    expect(await agent.place.read('deep/er/a.txt')).toBe('grüße\n')
    expect(await harness.ask(request_id)).toMatchObject({ status: 'consumed', consumedAt: expect.any(String) })
    expect((await agent.detail()).lastTool).toBe('accept_diff')
  })

  it('R7 a second call is already_consumed, and changes nothing', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent)
    await agent.call('accept_diff', { request_id })
    await agent.place.write('a.txt', 'later\n')
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({
      isError: true,
      status: 'error',
      error_code: 'already_consumed',
    })
    expect(await agent.place.read('a.txt')).toBe('later\n')
  })

  it('R7 two calls at once: one applies, one is already_consumed', async () => {
    await using agent = await harness.connect()
    await using beside = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    const request_id = await approved(agent)
    const ends = await Promise.all([agent, beside, agent, beside].map((one) => one.call('accept_diff', { request_id })))
    expect(ends.filter(({ status }) => status === 'applied')).toHaveLength(1)
    expect(ends.filter(({ error_code }) => error_code === 'already_consumed')).toHaveLength(3)
    expect(await agent.place.read('a.txt')).toBe('hello\n')
  })

  it('R7 a change that was not approved is not_approved, and the message has its status', async () => {
    await using agent = await harness.connect()
    const open = await agent.begin('ask_approval', whole)
    const early = await agent.call('accept_diff', { request_id: open.ask.id })
    expect(early).toMatchObject({ isError: true, error_code: 'not_approved' })
    await harness.answer(open.ask, reject('no'))
    await open.done
    const refused = await agent.call('accept_diff', { request_id: open.ask.id })
    expect(refused).toMatchObject({ error_code: 'not_approved', error_message: expect.stringMatching(/reject/i) })
    expect(await agent.place.read('a.txt')).toBeNull()
  })

  it('R7 a request that is unknown, of another session, or not a file change is request_not_found', async () => {
    await using agent = await harness.connect()
    await using other = await harness.connect({ place: agent.place })
    const request_id = await approved(agent)
    const wait = await agent.call('wait_for_instruction')
    for (const [who, id] of [
      [other, request_id],
      [agent, '00000000-0000-4000-8000-000000000000'],
      [agent, 'nonsense'],
      [agent, wait['request_id']],
    ] as const)
      expect(await who.call('accept_diff', { request_id: id })).toMatchObject({ error_code: 'request_not_found' })
    expect(await agent.place.read('a.txt')).toBeNull()
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
  })

  it.each([
    ['no request_id', {}, /request_id/],
    ['an unknown field', { request_id: 'x', files: [] }, /files/],
    ['a force that is not a boolean', { request_id: 'x', force: 'yes' }, /force/],
  ])('R7 with %s it is refused', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('accept_diff', input)
    expect([said.isError, said['error_message']]).toEqual([true, expect.stringMatching(why)])
  })

  it('R7 a file that changed since is patch_conflict; it stays approved, and force applies it and is reported', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9\n')
    const diff = await gitDiff(
      { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' },
      { 'a.txt': '1\n2\nthree\n4\n5\n6\n7\n8\n9\n' },
    )
    const request_id = await approved(agent, { title: 'x', diff, file_path: 'a.txt' })
    await agent.place.write('a.txt', '1\n2\n3\n4\n5\n6\n7\n8\nnine\n')
    const refused = await agent.call('accept_diff', { request_id })
    expect(refused).toMatchObject({ isError: true, error_code: 'patch_conflict' })
    expect(refused['error_message']).toContain('a.txt')
    expect((await harness.ask(request_id)).status).toBe('answered')
    expect(await agent.place.read('a.txt')).toBe('1\n2\n3\n4\n5\n6\n7\n8\nnine\n')
    expect(await agent.call('accept_diff', { request_id, force: true })).toMatchObject({
      status: 'applied',
      files_written: [{ path: 'a.txt' }],
    })
    expect(await agent.place.read('a.txt')).toBe('1\n2\nthree\n4\n5\n6\n7\n8\nnine\n')
    expect(await harness.ask(request_id)).toMatchObject({ status: 'consumed', result: { forced: true } })
    const { messages } = await agent.detail()
    expect(messages.map(({ content }) => content['text'])).toContainEqual(expect.stringMatching(/force/i))
  })

  it('R7 force skips only the hash: a hunk that fits nowhere is patch_conflict, and nothing is written', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    await agent.place.write('b.txt', 'b\n')
    const diff = await gitDiff({ 'a.txt': 'one\n', 'b.txt': 'b\n' }, { 'a.txt': 'two\n', 'b.txt': 'B\n' })
    const request_id = await approved(agent, { title: 'x', diff, file_path: 'a.txt' })
    await agent.place.write('a.txt', 'something else\nentirely\n')
    expect(await agent.call('accept_diff', { request_id, force: true })).toMatchObject({ error_code: 'patch_conflict' })
    expect([await agent.place.read('a.txt'), await agent.place.read('b.txt')]).toEqual([
      'something else\nentirely\n',
      'b\n',
    ])
    expect((await harness.ask(request_id)).status).toBe('answered')
  })

  it('R7 a new file that exists by then is patch_conflict', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent)
    await agent.place.write('a.txt', 'mine\n')
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ error_code: 'patch_conflict' })
    expect(await agent.place.read('a.txt')).toBe('mine\n')
    await rm(join(agent.place.path, 'a.txt'))
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
  })

  it('R7 a file that is gone by then is patch_conflict', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const diff = await gitDiff({ 'a.txt': 'one\n' }, { 'a.txt': 'two\n' })
    const request_id = await approved(agent, { title: 'x', diff, file_path: 'a.txt' })
    await rm(join(agent.place.path, 'a.txt'))
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ error_code: 'patch_conflict' })
    expect(await agent.place.read('a.txt')).toBeNull()
  })

  it('R7 R22 a directory that has become a symlink is path_violation, and nothing outside changes', async () => {
    await using agent = await harness.connect()
    await using outside = await harness.connect()
    await mkdir(join(agent.place.path, 'sub'))
    const request_id = await approved(agent, { ...whole, file_path: 'sub/a.txt' })
    await rm(join(agent.place.path, 'sub'), { recursive: true })
    await symlink(outside.place.path, join(agent.place.path, 'sub'))
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ error_code: 'path_violation' })
    expect(await agent.call('accept_diff', { request_id, force: true })).toMatchObject({ error_code: 'path_violation' })
    expect(await outside.place.read('a.txt')).toBeNull()
    expect((await harness.ask(request_id)).status).toBe('answered')
  })

  it('R7 a file that was replaced by a symlink is not written through', async () => {
    await using agent = await harness.connect()
    await using outside = await harness.connect()
    await outside.place.write('secret.txt', 'one\n')
    await agent.place.write('a.txt', 'one\n')
    const request_id = await approved(agent, { ...whole, diff: 'two\n' })
    await rm(join(agent.place.path, 'a.txt'))
    await symlink(join(outside.place.path, 'secret.txt'), join(agent.place.path, 'a.txt'))
    const said = await agent.call('accept_diff', { request_id, force: true })
    expect(['path_violation', 'patch_conflict']).toContain(said['error_code'])
    expect(await outside.place.read('secret.txt')).toBe('one\n')
  })

  it('R7 a diff that does not fit the files is invalid_diff at once, and nothing is asked', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ nonsense @@\n-one\n+two\n'
    const said = await agent.call('ask_approval', { title: 'x', diff, file_path: 'a.txt' })
    expect(said).toMatchObject({ error_code: 'invalid_diff' })
  })

  it('R7 an ask opened by REST with an invalid diff is invalid_diff', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const token = harness.server.api(harness.token)
    const ask = await token.post<{ id: string }>(`/api/sessions/${agent.sessionId}/asks`, {
      title: 'x',
      origin: 'ask_approval',
      subject: { kind: 'diff', filePath: 'a.txt', diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,9 @@\n-one\n+two\n' },
    })
    await harness.answer(ask, approve)
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ error_code: 'invalid_diff' })
    expect(await agent.place.read('a.txt')).toBe('one\n')
  })

  it('R7 several files: changed, created, deleted and renamed', async () => {
    await using agent = await harness.connect()
    const body = 'a line\n'.repeat(20)
    const before = { 'a.txt': 'one\n', 'gone.txt': 'gone\n', 'old.txt': body, 'new.txt': null, 'moved/old.txt': null }
    const after = { 'a.txt': 'two\n', 'gone.txt': null, 'old.txt': null, 'new.txt': 'new\n', 'moved/old.txt': body }
    for (const [name, content] of Object.entries(before)) if (content !== null) await agent.place.write(name, content)
    const diff = await gitDiff(before, after)
    const request_id = await approved(agent, { title: 'x', diff, file_path: 'a.txt' })
    const said = await agent.call('accept_diff', { request_id })
    expect(said).toMatchObject({ status: 'applied' })
    for (const [name, content] of Object.entries(after)) expect(await agent.place.read(name), name).toBe(content)
    const paths = (said['files_written'] as { path: string; bytes: number }[]).map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['a.txt', 'new.txt', 'moved/old.txt']))
  })

  it('R7 all or none: if one file changed, the others are left alone', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'a\n')
    await agent.place.write('b.txt', 'b\n')
    const diff = await gitDiff(
      { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': null },
      { 'a.txt': 'A\n', 'b.txt': 'B\n', 'c.txt': 'C\n' },
    )
    const request_id = await approved(agent, { title: 'x', diff, file_path: 'a.txt' })
    await agent.place.write('b.txt', 'changed\n')
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ error_code: 'patch_conflict' })
    expect([await agent.place.read('a.txt'), await agent.place.read('c.txt')]).toEqual(['a\n', null])
  })

  it('R7 modes and line ends are kept, also if the last line has none', async () => {
    await using agent = await harness.connect()
    await agent.place.write('run.sh', '#!/bin/sh\r\necho one\r\necho two')
    await chmod(join(agent.place.path, 'run.sh'), 0o755)
    const diff = await gitDiff(
      { 'run.sh': '#!/bin/sh\r\necho one\r\necho two' },
      { 'run.sh': '#!/bin/sh\r\necho ONE\r\necho two' },
    )
    const request_id = await approved(agent, { title: 'x', diff, file_path: 'run.sh' })
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
    expect(await agent.place.read('run.sh')).toBe('#!/bin/sh\r\necho ONE\r\necho two')
    expect((await stat(join(agent.place.path, 'run.sh'))).mode & 0o777).toBe(0o755)
  })

  it('R7 a diff with LF fits a file with CRLF, and leaves it CRLF', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\r\ntwo\r\nthree\r\n')
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n'
    const request_id = await approved(agent, { title: 'x', diff, file_path: 'a.txt' })
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
    expect(await agent.place.read('a.txt')).toBe('one\r\nTWO\r\nthree\r\n')
  })

  it('R7 whole content replaces an existing file', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\ntwo\n')
    const request_id = await approved(agent)
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
    expect(await agent.place.read('a.txt')).toBe('hello\n')
  })

  it('R7 a file that a diff empties is empty, not deleted; one that it deletes is gone', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +0,0 @@\n-one\n'
    const emptied = await approved(agent, { title: 'x', diff, file_path: 'a.txt' })
    expect(await agent.call('accept_diff', { request_id: emptied })).toMatchObject({
      files_written: [{ path: 'a.txt', bytes: 0 }],
    })
    expect(await agent.place.read('a.txt')).toBe('')
    await agent.place.write('a.txt', 'one\n')
    const away = diff.replace('+++ b/a.txt', '+++ /dev/null')
    const deleted = await approved(agent, { title: 'x', diff: away, file_path: 'a.txt' })
    expect(await agent.call('accept_diff', { request_id: deleted })).toMatchObject({ status: 'applied' })
    expect(await agent.place.read('a.txt')).toBeNull()
  })

  it('R7 R23 with a hundred files, all are written, and all are undone', async () => {
    await using agent = await harness.connect()
    const names = Array.from({ length: 100 }, (_, n) => `d${n % 7}/f${n}.txt`)
    const before = Object.fromEntries(names.map((name) => [name, `one ${name}\n`]))
    const after = Object.fromEntries(names.map((name) => [name, `two ${name}\n`]))
    for (const [name, content] of Object.entries(before)) await agent.place.write(name, content)
    const diff = await gitDiff(before, after)
    const request_id = await approved(agent, { title: 'Many', diff, file_path: names[0] })
    const said = await agent.call('accept_diff', { request_id })
    expect(said['files_written']).toHaveLength(100)
    for (const name of names) expect(await agent.place.read(name)).toBe(after[name])
    await harness.owner.post(`/api/asks/${request_id}/undo`)
    for (const name of names) expect(await agent.place.read(name)).toBe(before[name])
  })

  it('R7 names with spaces, quotes and non-ASCII letters', async () => {
    await using agent = await harness.connect()
    const name = 'sub dir/grüße "x".txt'
    await agent.place.write(name, 'one\n')
    const diff = await gitDiff({ [name]: 'one\n' }, { [name]: 'two\n' })
    expect(diff).toContain('\\')
    const request_id = await approved(agent, { title: 'x', diff, file_path: name })
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({ files_written: [{ path: name }] })
    expect(await agent.place.read(name)).toBe('two\n')
  })

  it('R7 check_diff is the same tool', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent)
    expect(await agent.call('check_diff', { request_id })).toMatchObject({ status: 'applied' })
    expect((await agent.detail()).lastTool).toBe('accept_diff')
  })

  it('R7 B8 what was applied can be undone by the owner, once, and not by the agent', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'before\n')
    const request_id = await approved(agent)
    await agent.call('accept_diff', { request_id })
    const undo = `/api/asks/${request_id}/undo`
    expect((await harness.server.api(harness.token).refused('POST', undo, {})).status).toBe(403)
    expect(await harness.owner.post(undo)).toMatchObject({ restored: [{ path: 'a.txt', outcome: 'restored' }] })
    expect(await agent.place.read('a.txt')).toBe('before\n')
    expect((await harness.owner.refused('POST', undo, {})).status).toBe(409)
  })

  it('R7 B8 undo of files that have changed since is refused, and names them', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent)
    await agent.call('accept_diff', { request_id })
    await agent.place.write('a.txt', 'more\n')
    const refusal = await harness.owner.refused('POST', `/api/asks/${request_id}/undo`, {})
    expect(refusal).toMatchObject({ status: 409, code: 'undo_conflict' })
    expect(JSON.stringify(refusal.details)).toContain('a.txt')
    expect(await agent.place.read('a.txt')).toBe('more\n')
  })

  it('R7 who approved and what was written is in the log, without its content', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent, { ...whole, diff: 'a very own word: Zwetschgenmus\n' })
    await agent.call('accept_diff', { request_id })
    const log = await exportLog(harness.owner)
    const types = log.filter(({ data }) => data['id'] === request_id).map(({ type }) => type)
    expect(types).toEqual(['ask.opened', 'ask.answered', 'ask.claimed', 'ask.consumed'])
    expect(JSON.stringify(log)).not.toContain('Zwetschgenmus')
  })
})
