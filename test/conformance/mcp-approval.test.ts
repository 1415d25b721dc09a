import { createHash } from 'node:crypto'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../support/sse.ts'
import { until } from '../support/until.ts'
import { approve, gitDiff, openMcpHarness, reject, resource, type McpHarness } from './mcp-harness.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }

describe('ask_approval', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R6 blocks until answered, and the owner can read every field', async () => {
    await using agent = await harness.connect()
    const input = { ...whole, description: 'Because of **this**', risk_level: 'critical' }
    const { ask, done } = await agent.begin('ask_approval', input)
    expect(ask).toMatchObject({
      kind: 'diff',
      origin: 'ask_approval',
      status: 'open',
      title: 'Write it',
      description: 'Because of **this**',
      riskLevel: 'critical',
      sessionId: agent.sessionId,
      subject: { kind: 'diff', filePath: 'a.txt', diff: 'hello\n', files: [{ path: 'a.txt', hash: 'new_file' }] },
      answer: null,
    })
    expect(await agent.detail()).toMatchObject({ waiting: true, status: 'active', lastTool: 'ask_approval' })
    const answered = await harness.answer(ask, approve)
    expect(answered).toMatchObject({ status: 'answered', automatic: false, answer: { outcome: 'approve' } })
    expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
    expect((await agent.detail()).waiting).toBe(false)
    expect(await agent.place.read('a.txt')).toBeNull()
  })

  it('R6 the risk is low by default, and there is no description', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    expect(ask).toMatchObject({ riskLevel: 'low', description: null })
    await harness.answer(ask, reject('not today'))
    expect(await done).toEqual({ status: 'rejected', request_id: ask.id, reason: 'not today', isError: false })
  })

  it('R6 rejected without a reason has none; an approval may have one', async () => {
    await using agent = await harness.connect()
    const first = await agent.begin('ask_approval', whole)
    await harness.answer(first.ask, reject())
    expect(await first.done).toEqual({ status: 'rejected', request_id: first.ask.id, isError: false })
    const second = await agent.begin('ask_approval', whole)
    await harness.answer(second.ask, { ...approve, reason: 'but mind the tests' })
    expect(await second.done).toMatchObject({ status: 'approved', reason: 'but mind the tests' })
  })

  it.each([
    ['an unknown field', { ...whole, snippets: [] }, /snippets/],
    ['no title', { diff: 'x', file_path: 'a.txt' }, /title/],
    ['no diff', { title: 'x', file_path: 'a.txt' }, /diff/],
    ['no file_path', { title: 'x', diff: 'x' }, /file_path/],
    ['nothing at all', {}, /title.*diff.*file_path/],
    ['an unknown risk', { ...whole, risk_level: 'medium' }, /risk_level/],
    ['a title that is not text', { ...whole, title: 5 }, /title/],
    ['an empty title', { ...whole, title: '' }, /title/],
  ])('R6 with %s it is refused, and nothing is asked', async (_what, input, why) => {
    await using agent = await harness.connect({ place: null })
    const said = await agent.call('ask_approval', input)
    expect(said).toMatchObject({ isError: true, status: 'error', error_code: expect.stringMatching(/^[a-z_]+$/) })
    expect(said['error_message']).toMatch(why)
    expect(await resource(agent.client, 'inbox')).toEqual([])
  })

  it('R6 a diff over several files keeps the hash of each, and new_file for missing ones', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    await agent.place.write('sub/b.txt', 'two\n')
    const diff = await gitDiff(
      { 'a.txt': 'one\n', 'sub/b.txt': 'two\n', 'c.txt': null },
      { 'a.txt': 'ONE\n', 'sub/b.txt': null, 'c.txt': 'three\n' },
    )
    const { ask, done } = await agent.begin('ask_approval', { title: 'Three', diff, file_path: 'a.txt' })
    const files = ask.subject['files'] as { path: string; hash: string }[]
    expect(files.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: 'a.txt', hash: sha('one\n') },
      { path: 'c.txt', hash: 'new_file' },
      { path: 'sub/b.txt', hash: sha('two\n') },
    ])
    await harness.answer(ask, reject())
    await done
  })

  it('R6 a second approval is refused with approval_pending and the id of the first', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    const second = await agent.call('ask_approval', { ...whole, file_path: 'b.txt' })
    expect(second).toMatchObject({ isError: true, error_code: 'approval_pending', request_id: ask.id })
    expect(second['error_message']).toContain(ask.id)
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved' })
    const third = await agent.begin('ask_approval', { ...whole, file_path: 'b.txt' })
    await harness.answer(third.ask, approve)
    expect(await third.done).toMatchObject({ status: 'approved', request_id: third.ask.id })
  })

  it('R6 of two simultaneous approvals one is asked, one is refused', async () => {
    await using agent = await harness.connect()
    const both = [1, 2].map((n) => agent.call('ask_approval', { ...whole, file_path: `${n}.txt` }, { held: true }))
    const ask = await harness.openAsk(agent.sessionId)
    const refused = await Promise.race(both)
    expect(refused).toMatchObject({ error_code: 'approval_pending', request_id: ask.id })
    await harness.answer(ask, approve)
    const ends = await Promise.all(both)
    expect(ends.filter(({ status }) => status === 'approved')).toHaveLength(1)
  })

  it('R6 another kind of ask may be open beside an approval', async () => {
    await using agent = await harness.connect()
    const approval = await agent.begin('ask_approval', whole)
    const prompt = agent.call('forward_prompt', { prompt_text: 'And now?' }, { held: true })
    const ask = await until(async () => {
      const open = await resource<{ id: string; kind: string }[]>(agent.client, 'inbox')
      return open.find(({ kind }) => kind === 'prompt')
    })
    await harness.answer(ask, { outcome: 'stop' })
    expect(await prompt).toMatchObject({ decision: 'stop' })
    await harness.answer(approval.ask, approve)
    expect(await approval.done).toMatchObject({ status: 'approved', request_id: approval.ask.id })
  })

  it.each([
    ['absolute', '/etc/passwd'],
    ['with ..', '../outside.txt'],
    ['with .. that comes back', 'x/../../w0/../../outside.txt'],
    ['through a linked directory', 'link/new.txt'],
    ['a link that points out', 'out.txt'],
    ['inside .git', '.git/hooks/pre-commit'],
  ])('R6 R22 a path that is %s is refused before anyone is asked', async (_what, file_path) => {
    await using agent = await harness.connect()
    await mkdir(join(agent.place.path, '.git'))
    await symlink('/tmp', join(agent.place.path, 'link'))
    await symlink('/etc/hostname', join(agent.place.path, 'out.txt'))
    const said = await agent.call('ask_approval', { ...whole, file_path })
    expect(said).toMatchObject({ isError: true, error_code: 'path_violation' })
    expect(await resource(agent.client, 'inbox')).toEqual([])
  })

  it('R6 R22 an absolute path that begins with the workspace and leaves it is refused', async () => {
    await using agent = await harness.connect()
    for (const end of ['/../outside.txt', '/x/../../outside.txt', '-beside/a.txt']) {
      const said = await agent.call('ask_approval', { ...whole, file_path: `${agent.place.path}${end}` })
      expect([end, said['error_code']]).toEqual([end, 'path_violation'])
    }
  })

  it('R6 an absolute path inside the workspace is the file itself', async () => {
    await using agent = await harness.connect()
    const file_path = join(agent.place.path, 'a.txt')
    const { ask, done } = await agent.begin('ask_approval', { ...whole, file_path })
    expect(ask.subject).toMatchObject({ files: [{ path: 'a.txt', hash: 'new_file' }] })
    await harness.answer(ask, approve)
    await done
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({
      files_written: [{ path: 'a.txt', bytes: 6 }],
    })
  })

  it.each([
    ['truncated hunks', '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n'],
    ['wrong counts', '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,9 @@\n-one\n+two\n'],
    ['another file than file_path', '--- a/z.txt\n+++ b/z.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n'],
  ])('R6 a diff with %s is refused with invalid_diff', async (_what, diff) => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const said = await agent.call('ask_approval', { title: 'x', diff, file_path: 'a.txt' })
    expect(said).toMatchObject({ isError: true, error_code: 'invalid_diff' })
    expect(await resource(agent.client, 'inbox')).toEqual([])
  })

  it('R6 a diff of a megabyte is shown unchanged', async () => {
    await using agent = await harness.connect()
    const diff = 'x'.repeat(99).concat('\n').repeat(10_000)
    const { ask, done } = await agent.begin('ask_approval', { ...whole, diff })
    expect(ask.subject['diff']).toBe(diff)
    await harness.answer(ask, approve)
    await done
    await agent.call('accept_diff', { request_id: ask.id })
    expect(await agent.place.read('a.txt')).toBe(diff)
  })

  it('R6 interrupted when the session ends, and so is the ask', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    await harness.owner.post(`/api/sessions/${agent.sessionId}/terminate`)
    expect(await done).toMatchObject({ status: 'interrupted', request_id: ask.id, isError: false })
    expect((await harness.ask(ask.id)).status).toBe('interrupted')
    const late = await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, approve)
    expect([late.status, late.message]).toEqual([409, expect.stringMatching(/interrupted/)])
  })

  it('R6 interrupted when the ask is withdrawn', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    await harness.owner.post(`/api/asks/${ask.id}/cancel`, { reason: 'no longer wanted' })
    expect(await done).toMatchObject({ status: 'interrupted', request_id: ask.id, reason: 'no longer wanted' })
  })

  it('R6 R23 an answer in the same moment as the ask is not lost', async () => {
    await using agent = await harness.connect()
    await using events = await openEvents(harness.owner)
    const answered = new Set<string>()
    for (let n = 0; n < 20; n += 1) {
      const held = agent.call('ask_approval', { ...whole, file_path: `${n}.txt` }, { held: true })
      const opened = await events.first(
        ({ type, sessionId, id }) => type === 'ask.opened' && sessionId === agent.sessionId && !answered.has(id),
      )
      answered.add(opened.id)
      await harness.answer({ id: String(opened.data['id']) }, approve)
      expect(await held).toMatchObject({ status: 'approved', request_id: opened.data['id'] })
    }
  })

  it('R6 a caller without a progress token gets pending after hold_seconds, and calls again by request_id', async () => {
    await using agent = await harness.connect()
    const began = Date.now()
    const pending = await agent.call('ask_approval', whole)
    expect(Date.now() - began).toBeGreaterThanOrEqual(900)
    expect(pending).toEqual({ status: 'pending', request_id: expect.any(String), isError: false })
    const request_id = String(pending['request_id'])
    expect(await agent.call('ask_approval', { request_id })).toEqual(pending)
    expect((await harness.ask(request_id)).status).toBe('open')
    const again = agent.call('ask_approval', { request_id })
    await harness.answer({ id: request_id }, approve)
    expect(await again).toMatchObject({ status: 'approved', request_id })
    expect(await agent.call('ask_approval', { request_id })).toMatchObject({ status: 'approved', request_id })
  })

  it('R6 a caller with a progress token gets progress with growing numbers', async () => {
    await using agent = await harness.connect()
    const heard: number[] = []
    const words: unknown[] = []
    const onProgress = ({ progress, message }: { progress: number; message?: string | undefined }) => {
      heard.push(progress)
      words.push(message)
    }
    const { ask, done } = await agent.begin('ask_approval', whole, { onProgress })
    await until(() => heard.length >= 2, { seconds: 20 })
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved' })
    expect(heard).toEqual(heard.toSorted((a, b) => a - b))
    expect(new Set(heard).size).toBe(heard.length)
    for (const text of words) expect(text).toMatch(/wait/i)
  })

  it('R6 a call that its client cancels leaves the ask open', async () => {
    await using agent = await harness.connect()
    const gone = new AbortController()
    const { ask, done } = await agent.begin('ask_approval', whole, { signal: gone.signal })
    gone.abort()
    await expect(done).rejects.toThrow()
    expect((await agent.call('heartbeat')).isError).toBe(false)
    expect((await harness.ask(ask.id)).status).toBe('open')
    await harness.answer(ask, approve)
    expect(await agent.call('ask_approval', { request_id: ask.id })).toMatchObject({ status: 'approved' })
  })

  it('R6 another connection of the same session re-attaches by request_id', async () => {
    await using agent = await harness.connect()
    const pending = await agent.call('ask_approval', whole)
    await agent.client.close()
    await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(again.sessionId).toBe(agent.sessionId)
    const held = again.call('ask_approval', { request_id: pending['request_id'] }, { held: true })
    await harness.answer({ id: String(pending['request_id']) }, reject('no'))
    expect(await held).toMatchObject({ status: 'rejected', reason: 'no' })
  })

  it('R6 X4 a session’s successor re-attaches to earlier asks, which are interrupted by then', async () => {
    await using agent = await harness.connect()
    const pending = await agent.call('ask_approval', whole)
    const after = await harness.owner.post<{ id: string }>(`/api/sessions/${agent.sessionId}/restart`)
    await using next = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(next.sessionId).toBe(after.id)
    const said = await next.call('ask_approval', { request_id: pending['request_id'] })
    expect(said).toMatchObject({ status: 'interrupted', request_id: pending['request_id'] })
  })

  it('R6 X4 the successor applies what was approved for its predecessor', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    await harness.answer(ask, approve)
    await done
    await harness.owner.post(`/api/sessions/${agent.sessionId}/restart`)
    await using next = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
    expect(await next.call('ask_approval', { request_id: ask.id })).toMatchObject({ status: 'approved' })
    expect(await next.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
    expect(await agent.place.read('a.txt')).toBe('hello\n')
  })

  it('R6 a request of another session, of another kind, or an unknown one is request_not_found', async () => {
    await using agent = await harness.connect()
    await using other = await harness.connect({ place: agent.place })
    expect(other.sessionId).not.toBe(agent.sessionId)
    const pending = await agent.call('ask_approval', whole)
    for (const request_id of [pending['request_id'], '00000000-0000-4000-8000-000000000000', 'nonsense', ''])
      expect(await other.call('ask_approval', { request_id })).toMatchObject({
        isError: true,
        error_code: 'request_not_found',
      })
    for (const tool of ['forward_prompt', 'wait_for_instruction', 'check_auto_approve'])
      expect(await agent.call(tool, { request_id: pending['request_id'] })).toMatchObject({
        error_code: 'request_not_found',
      })
  })

  it('R6 check_clearance is the same tool, and not listed', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('check_clearance', whole)
    expect(ask).toMatchObject({ kind: 'diff', origin: 'ask_approval' })
    expect((await agent.detail()).lastTool).toBe('ask_approval')
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ status: 'approved', request_id: ask.id })
  })

  it('R6 every status can be read by REST: open, answered, interrupted, consumed', async () => {
    await using agent = await harness.connect()
    const first = await agent.begin('ask_approval', whole)
    expect((await harness.ask(first.ask.id)).status).toBe('open')
    await harness.answer(first.ask, approve)
    expect((await harness.ask(first.ask.id)).status).toBe('answered')
    await first.done
    await agent.call('accept_diff', { request_id: first.ask.id })
    expect(await harness.ask(first.ask.id)).toMatchObject({ status: 'consumed', consumedAt: expect.any(String) })
    expect(await agent.call('ask_approval', { request_id: first.ask.id })).toMatchObject({ status: 'approved' })
  })

  it('R6 R19 a policy answers low risk, and never critical', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({ enabled: true, file_patterns: { write: ['docs/**'] } })
    const said = await agent.call('ask_approval', { ...whole, file_path: 'docs/a.md' })
    expect(said).toMatchObject({ status: 'approved' })
    expect(await harness.ask(String(said['request_id']))).toMatchObject({
      automatic: true,
      answeredBy: 'policy:file_pattern:write:docs/**',
    })
    expect(await agent.call('accept_diff', { request_id: said['request_id'] })).toMatchObject({ status: 'applied' })
    for (const risk_level of ['high', 'critical']) {
      const asked = await agent.begin('ask_approval', { ...whole, file_path: 'docs/b.md', risk_level })
      expect(asked.ask.status).toBe('open')
      await harness.answer(asked.ask, reject())
      await asked.done
    }
    const diff = await gitDiff({ 'docs/c.md': null, 'src/c.ts': null }, { 'docs/c.md': 'c\n', 'src/c.ts': 'c\n' })
    const mixed = await agent.begin('ask_approval', { title: 'Both', diff, file_path: 'docs/c.md' })
    await harness.answer(mixed.ask, reject())
    expect(await mixed.done).toMatchObject({ status: 'rejected' })
  })

  it('R6 R19 with the threshold high a policy answers high, and still never critical', async () => {
    await using agent = await harness.connect()
    await agent.place.policy({ enabled: true, file_patterns: { write: ['**'] }, risk_level_threshold: 'high' })
    expect(await agent.call('ask_approval', { ...whole, risk_level: 'high' })).toMatchObject({ status: 'approved' })
    const asked = await agent.begin('ask_approval', { ...whole, file_path: 'b.txt', risk_level: 'critical' })
    await harness.answer(asked.ask, reject())
    await asked.done
  })
})

describe('an unanswered approval', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({ env: { SIGNALBOX_TIMEOUTS__APPROVAL_SECONDS: '1' } })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R6 R23 is a timeout to the agent, expired by REST, and refuses a late answer', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('ask_approval', whole)
    expect(ask.expiresAt).not.toBeNull()
    expect(await done).toMatchObject({ status: 'timeout', request_id: ask.id, isError: false })
    expect(await harness.ask(ask.id)).toMatchObject({ status: 'expired', answer: null })
    const late = await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, approve)
    expect([late.status, late.message]).toEqual([409, expect.stringMatching(/expired/)])
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ error_code: 'not_approved' })
    expect(await agent.call('ask_approval', { request_id: ask.id })).toMatchObject({ status: 'timeout' })
  })

  it('R8 an unanswered command is not approved', async () => {
    await using agent = await harness.connect()
    const { done } = await agent.begin('check_auto_approve', { tool_name: 'make', kind: 'terminal_command' })
    expect(await done).toMatchObject({ auto_approved: false, matched_rule: null })
  })
})
