import { appendFile, mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { read, readUntil, shell, startCommand, waiting } from './mcp-terminal-helpers.ts'
import { approve, openMcpHarness, reject, type McpHarness } from './mcp-harness.ts'
import { newToken } from './work.ts'

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z$/
const nobody = '3b241101-e2bb-4255-8caf-4136c566a962'
const question = 'printf "Go on? [y/n] "; read answer; echo "got $answer"; sleep 600'

describe('terminal tools', () => {
  let harness: McpHarness
  let logs: string
  beforeAll(async () => {
    logs = await mkdtemp(join(tmpdir(), 'sbl-'))
    const commands = '[commands]\nhello = "echo hello"\n'
    harness = await openMcpHarness({ config: `${commands}\n[terminal]\nwatch_roots = ["${logs}"]\n` })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(logs, { recursive: true, force: true })
  })

  describe('start_session_monitor', () => {
    it('T1 starting a command is a command ask; once approved, it is a listed session', async () => {
      await using agent = await harness.connect()
      const input = { session_type: 'script', command: shell(question), metadata: { why: 'a test' } }
      const { ask, done } = await agent.begin('start_session_monitor', input)
      expect(ask).toMatchObject({ kind: 'command', status: 'open', subject: { cwd: agent.place.path } })
      await harness.answer(ask, approve)
      const started = await done
      expect(started).toEqual({
        session_id: expect.stringMatching(uuid4),
        session_type: 'script',
        log_file: expect.stringMatching(/^\//),
        file_position: expect.any(Number),
        start_time: expect.stringMatching(isoTime),
        state: 'active',
        metadata: { why: 'a test' },
        isError: false,
      })
      await waiting(agent, String(started['session_id']), /Go on\?/)
      const { sessions } = await agent.call('list_session_monitors', { state: 'active' })
      expect(sessions).toMatchObject([
        {
          session_id: started['session_id'],
          waiting: true,
          detection: { prompt_type: 'yes_no', decided_by: 'kernel' },
        },
      ])
      expect(await agent.call('list_session_monitors', { state: 'stopped' })).toMatchObject({ sessions: [] })
    })

    it('T1 what a policy allows starts at once; without a progress token it is pending, and continues by request_id', async () => {
      await using agent = await harness.connect()
      await agent.place.policy({ enabled: true, commands: ['echo hello'] })
      const allowed = { session_type: 'script', command: ['echo', 'hello'] }
      const started = await agent.call('start_session_monitor', allowed)
      expect(started).toMatchObject({ session_type: 'script', isError: false })
      await readUntil(agent, String(started['session_id']), /hello/)
      const pending = await agent.call('start_session_monitor', { session_type: 'script', command: ['echo', 'asked'] })
      expect(pending).toEqual({ status: 'pending', request_id: expect.any(String), isError: false })
      await harness.answer({ id: String(pending['request_id']) }, approve)
      const first = await agent.call('start_session_monitor', { request_id: pending['request_id'] })
      const again = await agent.call('start_session_monitor', { request_id: pending['request_id'] })
      expect(again['session_id']).toBe(first['session_id'])
    })

    it('T1 what a person refuses is not_permitted, and nothing runs', async () => {
      await using agent = await harness.connect()
      const command = shell(`touch ${join(agent.place.path, 'ran')}`)
      const { ask, done } = await agent.begin('start_session_monitor', { session_type: 'script', command })
      await harness.answer(ask, reject('not here'))
      expect(await done).toMatchObject({ isError: true, status: 'error', error_code: 'not_permitted' })
      expect(await agent.place.read('ran')).toBeNull()
      expect(await agent.call('list_session_monitors')).toMatchObject({ sessions: [] })
    })

    it('T1 a caller’s id must be an unused UUID version 4', async () => {
      await using agent = await harness.connect()
      await agent.place.write('a.log', 'one\n')
      const log = { session_type: 'file', log_file: join(agent.place.path, 'a.log') }
      const mine = crypto.randomUUID()
      expect(await agent.call('start_session_monitor', { ...log, session_id: mine })).toMatchObject({
        session_id: mine,
      })
      const again = await agent.call('start_session_monitor', { ...log, session_id: mine })
      expect(again).toMatchObject({ isError: true, error_code: 'session_already_exists' })
      for (const session_id of ['mine', '018f0000-0000-7000-8000-000000000001'])
        expect(await agent.call('start_session_monitor', { ...log, session_id })).toMatchObject({
          error_code: 'invalid_session_id',
        })
    })

    it('T1 logs in its workspace and the watch roots, and no others', async () => {
      await using agent = await harness.connect()
      await agent.place.write('a.log', 'one\n')
      await mkdir(join(agent.place.path, 'folder'))
      await writeFile(join(logs, 'b.log'), 'two\n')
      const follow = (log_file: string) => agent.call('start_session_monitor', { session_type: 'file', log_file })
      expect(await follow(join(agent.place.path, 'a.log'))).toMatchObject({ session_type: 'file', state: 'active' })
      expect(await follow(join(logs, 'b.log'))).toMatchObject({ log_file: join(logs, 'b.log') })
      expect(await follow(join(agent.place.path, 'none.log'))).toMatchObject({ error_code: 'file_not_found' })
      expect(await follow(join(agent.place.path, 'folder'))).toMatchObject({ error_code: 'file_not_readable' })
      await agent.place.write('typescript', 'Script started on 2026-01-01\nhello\n')
      const typescript = { session_type: 'script', log_file: join(agent.place.path, 'typescript') }
      expect(await agent.call('start_session_monitor', typescript)).toMatchObject({ session_type: 'script' })
      expect(await follow('/etc/hostname')).toMatchObject({ error_code: 'not_permitted' })
      expect(await follow(join(agent.place.path, '..', '..', 'etc', 'passwd'))).toMatchObject({ isError: true })
    })
  })

  it('T1 stop ends the watching, never the program, and deletes no log', async () => {
    await using agent = await harness.connect()
    const go = join(agent.place.path, 'go')
    const script = `echo started; while [ ! -e ${go} ]; do sleep 0.05; done; echo went > ${go}.done`
    const id = await startCommand(harness, agent, shell(script))
    await readUntil(agent, id, /started/)
    const stopped = await agent.call('stop_session_monitor', { session_id: id })
    expect(stopped).toMatchObject({ session_id: id, state: 'stopped', isError: false })
    expect(stopped['bytes_captured']).toBeGreaterThan(0)
    await agent.place.write('go', '')
    await until(() => agent.place.read('go.done'))
    await stat(String(stopped['log_file']))
    expect((await read(agent, id)).text).toContain('started')
    expect(await agent.call('stop_session_monitor', { session_id: nobody })).toMatchObject({
      error_code: 'session_not_found',
    })
  })

  it('T1 an agent reaches only terminals it started, and learns nothing about others', async () => {
    await using agent = await harness.connect()
    const id = await startCommand(harness, agent, shell(question))
    const { token } = await newToken(harness.owner, { name: 'another', scope: 'agent' })
    await using other = await harness.connect({ token })
    const about = { session_id: id }
    for (const [tool, input] of [
      ['stop_session_monitor', about],
      ['get_session_updates', about],
      ['detect_input_prompt', about],
      ['track_input_event', { ...about, prompt_text: 'a', input_text: 'b', input_source: 'user_typed' }],
      ['send_session_input', { ...about, text: 'y' }],
      ['search_session_history', { ...about, query: 'Go' }],
      ['catch_up', about],
    ] as const)
      expect([tool, await other.call(tool, input)]).toMatchObject([tool, { error_code: 'session_not_found' }])
    expect(await other.call('list_session_monitors')).toMatchObject({ sessions: [] })
    expect(await other.call('search_session_history', { query: 'Go on' })).toMatchObject({ matches: [] })
  })

  it.each([
    ['start_session_monitor', { session_type: 'file', log_file: '/a' }],
    ['stop_session_monitor', { session_id: nobody }],
    ['list_session_monitors', {}],
    ['get_session_updates', { session_id: nobody }],
    ['detect_input_prompt', { session_id: nobody }],
    ['track_input_event', { session_id: nobody, prompt_text: 'a', input_text: 'b', input_source: 'user_typed' }],
    ['infer_expected_input', { prompt_text: 'a' }],
    ['search_session_history', { query: 'a' }],
    ['send_session_input', { session_id: nobody, text: 'y' }],
    ['catch_up', {}],
  ])('T1 %s refuses unknown values', async (tool, input) => {
    await using agent = await harness.connect({ place: null })
    expect(await agent.call(tool, { ...input, surprise: 1 })).toMatchObject({
      isError: true,
      error_code: 'invalid_input',
      error_message: expect.stringContaining('surprise'),
    })
  })

  describe('get_session_updates', () => {
    it('T2 two readers have separate cursors, also across a server crash', async () => {
      await using agent = await harness.connect()
      const script = 'while printf "Say: "; read x; do echo "said $x"; done'
      const id = await startCommand(harness, agent, shell(script))
      await waiting(agent, id, /Say:/)
      const say = (text: string) => agent.call('send_session_input', { session_id: id, text })
      await say('first ünd ✓')
      const one = await readUntil(agent, id, /said first ünd ✓/)
      await waiting(agent, id, /Say:/)
      await say('second')
      const two = await readUntil(agent, id, /said second/, one.cursor)
      expect(two.text).not.toContain('first')
      await harness.crash()
      await using again = await harness.connect({ place: agent.place, query: { session_id: agent.sessionId } })
      await waiting(again, id, /Say:/)
      await again.call('send_session_input', { session_id: id, text: 'third' })
      const slow = await readUntil(again, id, /said third[^]*Say:/, one.cursor)
      expect(slow.text).toMatch(/second[^]*third/)
      const fast = await readUntil(again, id, /said third[^]*Say:/, two.cursor)
      expect(fast.text).not.toContain('second')
      expect((await read(again, id, { cursor: fast.cursor })).text).toBe('')
    })

    it('T2 max_lines, has_more and the formats', async () => {
      await using agent = await harness.connect()
      const script = 'for n in 1 2 3 4 5; do printf "\\033[31mline $n\\033[0m\\n"; done; sleep 600'
      const id = await startCommand(harness, agent, shell(script))
      await readUntil(agent, id, /line 5/)
      const first = await read(agent, id, { max_lines: 2 })
      expect(first).toMatchObject({ has_more: true, truncated: false })
      expect(first.text).toMatch(/^line 1\r?\nline 2\r?\n$/)
      const rest = await read(agent, id, { cursor: first.cursor })
      expect(rest).toMatchObject({ has_more: false })
      expect(rest.text).toMatch(/^line 3/)
      expect((await read(agent, id, { format: 'ansi' })).text).toContain('\u001B[31m')
      expect((await read(agent, id, { format: 'screen' })).text).toContain('line 5')
      expect(await read(agent, id, { cursor: 'nonsense!' })).toMatchObject({ isError: true })
      expect(await read(agent, nobody)).toMatchObject({ error_code: 'session_not_found' })
    })

    it('T2 a truncated log starts again, and says so', async () => {
      await using agent = await harness.connect()
      await agent.place.write('a.log', '')
      const log_file = join(agent.place.path, 'a.log')
      const { session_id } = await agent.call('start_session_monitor', { session_type: 'file', log_file })
      const id = String(session_id)
      await appendFile(log_file, 'before\n')
      const before = await readUntil(agent, id, /before/)
      await truncate(log_file, 0)
      await appendFile(log_file, 'new\n')
      const after = await readUntil(agent, id, /new/, before.cursor)
      expect(after.epoch).toBeGreaterThan(before.epoch)
      expect(after.text).not.toContain('before')
    })
  })
})
