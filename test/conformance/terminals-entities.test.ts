import { appendFile, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRunning, openTerminalHarness, type Terminal, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { openMcpHarness, type McpHarness } from './mcp-harness.ts'
import { newToken } from './work.ts'

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const [escape, bell] = ['\u001B', '\u0007']
/** An unfinished escape sequence. */
const openSequence = new RegExp(`${escape}(?:\\[[0-9;]*|\\][^${bell}]*)?$`)
const nobody = '3b241101-e2bb-4255-8caf-4136c566a962'

describe('terminals', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('T1 a terminal has its session’s fields, and its state is the session’s', async () => {
    const metadata = { why: 'a test' }
    const started = await harness.run('echo hello; read a; exit 3', { name: 'mine', cwd: harness.base, metadata })
    expect(started).toMatchObject({
      sessionId: expect.stringMatching(uuid4),
      sessionType: 'script',
      state: 'active',
      status: 'active',
      name: 'mine',
      cwd: harness.base,
      metadata,
      command: ['sh', '-c', 'echo hello; read a; exit 3'],
      cols: 80,
      rows: 24,
      exitCode: null,
      parentSessionId: null,
    })
    expect(Date.parse(started.startTime)).not.toBeNaN()
    const id = started.sessionId
    await harness.prints(id, /hello/)
    const { terminals } = await harness.owner.get<{ terminals: Terminal[] }>('/api/terminals?state=active')
    expect(terminals.map(({ sessionId }) => sessionId)).toContain(id)
    await until(async () => (await harness.get(id)).filePosition === 7)
    expect(await harness.session(id)).toMatchObject({ protocolMode: 'terminal', status: 'active' })
    await harness.waits(id, /\S/)
    await harness.type(id, '', { keys: ['enter'] })
    expect(await harness.ended(id)).toMatchObject({ state: 'stopped', exitCode: 3, exitSignal: null })
    const stopped = await harness.owner.get<{ terminals: Terminal[] }>('/api/terminals?state=stopped')
    expect(stopped.terminals.map(({ sessionId }) => sessionId)).toContain(id)
  })

  it('T1 a caller’s id is an unused UUID version 4', async () => {
    const mine = crypto.randomUUID()
    expect(await harness.run('true', { sessionId: mine })).toMatchObject({ sessionId: mine })
    const body = { sessionType: 'script', command: ['true'], sessionId: mine }
    expect(await harness.owner.refused('POST', '/api/terminals', body)).toMatchObject({ status: 409 })
    expect(await harness.owner.refused('POST', '/api/terminals', { ...body, sessionId: 'mine' })).toMatchObject({
      status: 400,
    })
  })

  it.each([
    ['no command', { sessionType: 'script' }, 'command_required'],
    ['no host', { sessionType: 'ssh' }, 'host_required'],
    ['a host that is an option', { sessionType: 'ssh', host: '-oProxyCommand=id' }, 'invalid_host'],
    ['no log', { sessionType: 'file' }, 'log_file_required'],
    ['a log by a relative path', { sessionType: 'file', logFile: 'a.log' }, 'log_file_not_absolute'],
    ['a missing log', { sessionType: 'file', logFile: '/nowhere/a.log' }, 'file_not_found'],
    ['a directory for a log', { sessionType: 'file', logFile: '/etc' }, 'file_not_readable'],
    ['a device for a log', { sessionType: 'file', logFile: '/dev/zero' }, 'file_not_readable'],
    [
      'a position past the end',
      { sessionType: 'file', logFile: '/etc/hostname', filePosition: 100_000 },
      'invalid_position',
    ],
    ['a missing directory', { sessionType: 'script', command: ['true'], cwd: '/nowhere' }, 'cwd_not_found'],
  ])('T1 refuses %s with the reason', async (_what, body, code) => {
    const refused = await harness.owner.refused('POST', '/api/terminals', body)
    expect(refused).toMatchObject({ code, message: expect.stringMatching(/\w+ \w+/) })
  })

  it('T1 refuses a negative position, and a missing program', async () => {
    const body = { sessionType: 'file', logFile: '/etc/hostname', filePosition: -1 }
    expect(await harness.owner.refused('POST', '/api/terminals', body)).toMatchObject({ status: 400 })
    const none = { sessionType: 'script', command: ['no-such-program-of-ours'] }
    const refused = await harness.owner.refused('POST', '/api/terminals', none)
    expect(refused.message).toContain('no-such-program-of-ours')
    const { terminals } = await harness.owner.get<{ terminals: Terminal[] }>('/api/terminals?state=active')
    expect(terminals.filter(({ command }) => command?.[0] === 'no-such-program-of-ours')).toEqual([])
  })

  it('T1 follows a log from the given position, or from its end', async () => {
    const path = harness.at('position.log')
    await writeFile(path, 'one\ntwo\n')
    const middle = await harness.follow(path, { filePosition: 4 })
    const end = await harness.follow(path)
    expect(middle).toMatchObject({ sessionType: 'file', logFile: path, state: 'active' })
    expect((await harness.prints(middle.sessionId, /two/)).text).not.toContain('one')
    await appendFile(path, 'three\n')
    expect((await harness.prints(end.sessionId, /three/)).text).not.toContain('two')
    await until(async () => (await harness.get(end.sessionId)).filePosition === 14)
  })

  it('T1 stop ends the watching; the program keeps running, however much it prints, and the recording stays', async () => {
    const done = harness.at('stop-done')
    const script = `echo started; until [ -e ${harness.at('stop-go')} ]; do sleep 0.02; done; seq 1 4000000; echo $? > ${done}`
    const { sessionId: id } = await harness.run(script)
    await harness.prints(id, /started/)
    const stopped = await harness.owner.post<Terminal & { bytesCaptured: number }>(`/api/terminals/${id}/stop`)
    expect(stopped).toMatchObject({ sessionId: id, state: 'stopped', bytesCaptured: 9 })
    await writeFile(harness.at('stop-go'), '')
    // 27 MB that nobody reads.
    expect(await until(() => readFile(done, 'utf8').catch(() => ''), { seconds: 20 })).toBe('0\n')
    expect((await harness.updates(id)).text).toContain('started')
    expect((await stat(stopped.logFile)).isDirectory()).toBe(true)
  })

  it('T1 a terminal that was stopped is not watched again by the next server', async () => {
    const { sessionId: id } = await harness.run(
      `echo before; until [ -e ${harness.at('again')} ]; do sleep 0.02; done; echo after; sleep 600`,
    )
    await harness.prints(id, /before/)
    await harness.owner.post(`/api/terminals/${id}/stop`)
    await harness.restart()
    await writeFile(harness.at('again'), '')
    const { sessionId: other } = await harness.run('echo other')
    await harness.ended(other)
    expect(await harness.get(id)).toMatchObject({ state: 'stopped', detection: null })
    expect((await harness.updates(id)).text).not.toContain('after')
  })

  it('T1 stopping a followed log leaves the log alone', async () => {
    const path = harness.at('kept.log')
    await writeFile(path, 'one\n')
    const { sessionId: id } = await harness.follow(path, { filePosition: 0 })
    await harness.prints(id, /one/)
    await harness.owner.post(`/api/terminals/${id}/stop`)
    expect(await readFile(path, 'utf8')).toBe('one\n')
    await appendFile(path, 'two\n')
    expect((await harness.updates(id)).text).toBe('one\n')
    expect(await harness.owner.refused('POST', `/api/terminals/${nobody}/stop`)).toMatchObject({ status: 404 })
  })

  it('T1 end hangs up: the program ends too', async () => {
    const { sessionId: id } = await harness.run('echo $$; exec sleep 600')
    const pid = Number((await harness.prints(id, /\d+\r?\n/)).text)
    expect(isRunning(pid)).toBe(true)
    await harness.owner.post(`/api/terminals/${id}/end`)
    await until(() => !isRunning(pid))
    await harness.ended(id)
  })

  it('T1 T11 what a person ends is terminated, and not listed as an error', async () => {
    const { sessionId: id } = await harness.run('echo ready; sleep 600')
    await harness.prints(id, /ready/)
    expect(await harness.owner.post(`/api/terminals/${id}/end`)).toMatchObject({ state: 'stopped' })
    await until(async () => (await harness.session(id))['status'] === 'terminated')
    const { events } = await harness.owner.get<{ events: { severity: string; text: string }[] }>(
      `/api/catch-up?sessionId=${id}`,
    )
    expect(events.filter(({ severity }) => severity === 'high' || severity === 'critical')).toEqual([])
    expect(events.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['The terminal ended: hung up', 'Session terminated (hung up)']),
    )
    const { sessionId: killed } = await harness.run('kill -HUP $$')
    await harness.ended(killed)
    await until(async () => (await harness.session(killed))['status'] === 'error')
  })

  describe('readers', () => {
    it('T2 each has its own cursor, and readers do not affect each other', async () => {
      const script = 'for n in 1 2 3 4; do echo "line $n"; done; printf "More? "; read a; echo "line 5"; sleep 600'
      const { sessionId: id } = await harness.run(script)
      await harness.waits(id, /More/)
      const first = await harness.updates(id, { maxLines: 2 })
      expect(first).toMatchObject({ hasMore: true, truncated: false, epoch: 0 })
      expect(first.text).toMatch(/^line 1\r?\nline 2\r?\n$/)
      const whole = await harness.updates(id)
      expect(whole.text).toMatch(/line 1[^]*line 4[^]*More\? $/)
      await harness.answer(id, /More/, 'y')
      const fast = await harness.prints(id, /line 5/, whole.cursor)
      expect(fast.text).not.toContain('line 4')
      const slow = await harness.prints(id, /line 5/, first.cursor)
      expect(slow.text).toMatch(/^line 3\r?\nline 4/)
      expect((await harness.updates(id, { cursor: fast.cursor })).text).toBe('')
      expect(await harness.updates(id, { cursor: first.cursor, maxLines: 2 })).toMatchObject({
        text: expect.stringMatching(/^line 3\r?\nline 4\r?\n$/),
      })
      for (const cursor of ['x', '1', '-1:2', '0:x'])
        expect(await harness.owner.refused('GET', `/api/terminals/${id}/updates?cursor=${cursor}`)).toMatchObject({
          status: 400,
        })
    })

    it('T2 a truncated or rotated log starts a new epoch', async () => {
      const path = harness.at('turning.log')
      await writeFile(path, '')
      const { sessionId: id } = await harness.follow(path)
      await appendFile(path, 'first life, and some more\n')
      const first = await harness.prints(id, /first life/)
      await truncate(path, 0)
      await appendFile(path, 'second\n')
      const second = await harness.prints(id, /second/, first.cursor)
      expect(second.epoch).toBe(first.epoch + 1)
      expect(second.text).toBe('second\n')
      await appendFile(path, 'last of the second\n')
      await rename(path, `${path}.1`)
      await writeFile(path, 'third\n')
      const third = await harness.prints(id, /third/, second.cursor)
      expect(third.epoch).toBe(second.epoch + 1)
      expect(third.text).toBe('last of the second\nthird\n')
      await until(async () => (await harness.get(id)).epoch === third.epoch)
      // A position in an old epoch is not one in this epoch.
      const old = await harness.prints(id, /third/, first.cursor)
      expect(old.text).toContain('second')
    })

    it('T2 a character or escape sequence is never split between two reads', async () => {
      const path = harness.at('split.log')
      await writeFile(path, '')
      const { sessionId: id } = await harness.follow(path)
      const whole = Buffer.from('a€😀\u001B[31mred\u001B]0;title\u0007é\n')
      let cursor = (await harness.updates(id)).cursor
      let text = ''
      for (const byte of whole) {
        await appendFile(path, Buffer.from([byte]))
        const read = await harness.updates(id, { cursor, format: 'ansi' })
        expect(read.text).not.toContain('\uFFFD')
        expect(read.text).not.toMatch(openSequence)
        text += read.text
        cursor = read.cursor
      }
      await until(async () => {
        const read = await harness.updates(id, { cursor, format: 'ansi' })
        text += read.text
        cursor = read.cursor
        return text.endsWith('\n')
      })
      expect(text).toBe(whole.toString())
    })
  })

  it('T1 only readable plain files are followed, also through links', async () => {
    await mkdir(harness.at('folder'))
    await symlink(harness.at('folder'), harness.at('to-folder'))
    await writeFile(harness.at('real.log'), 'here\n')
    await symlink(harness.at('real.log'), harness.at('to-real'))
    const body = (logFile: string) => ({ sessionType: 'file', logFile })
    expect(await harness.owner.refused('POST', '/api/terminals', body(harness.at('to-folder')))).toMatchObject({
      code: 'file_not_readable',
    })
    const { sessionId: id } = await harness.follow(harness.at('to-real'), { filePosition: 0 })
    await harness.prints(id, /here/)
  })
})

describe('terminals and agents', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({ config: '[terminal]\nask = "off"\nwatch_roots = ["/usr/share"]\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it("T1 an agent's token starts nothing and reaches nothing through the API", async () => {
    const body = { sessionType: 'script', command: ['sh', '-c', 'echo secret-word; read a'] }
    const { sessionId: id } = await harness.owner.post<Terminal>('/api/terminals', body)
    const { token } = await newToken(harness.owner, { name: 'another', scope: 'agent' })
    const agent = harness.server.api(token)
    for (const [method, path, sent] of [
      ['GET', ''],
      ['GET', '/updates'],
      ['GET', '/detection'],
      ['GET', '/screen'],
      ['GET', '/live'],
      ['GET', '/cast'],
      ['POST', '/stop', {}],
      ['POST', '/end', {}],
      ['POST', '/input', { text: 'y' }],
      ['POST', '/resize', { cols: 10, rows: 10 }],
    ] as const)
      expect([path, (await agent.refused(method, `/api/terminals/${id}${path}`, sent)).status]).toEqual([
        path,
        expect.toBeOneOf([403, 404]),
      ])
    expect(await agent.get('/api/terminals')).toEqual({ terminals: [], next: null })
    expect(await agent.get('/api/terminals/search?q=secret-word')).toMatchObject({ matches: [] })
    expect((await agent.refused('POST', '/api/terminals', body)).status).toBe(403)
    expect((await agent.refused('POST', '/api/terminals', { ...body, cwd: '/usr/share' })).status).toBe(403)
    const grant = { sessionId: id }
    expect((await agent.refused('POST', `/api/terminals/${id}/grants`, grant)).status).toBeOneOf([403, 404])
    await harness.owner.post(`/api/terminals/${id}/end`)
  })

  it('T1 an agent reaches a terminal while it is granted to its session', async () => {
    await using agent = await harness.connect()
    const body = { sessionType: 'script', command: ['sh', '-c', 'echo for-your-eyes; read a; exit 0'] }
    const { sessionId: id } = await harness.owner.post<Terminal>('/api/terminals', body)
    const read = () => agent.call('get_session_updates', { session_id: id })
    expect(await read()).toMatchObject({ error_code: 'session_not_found' })
    const grant = (granted: boolean) =>
      harness.owner.post(`/api/terminals/${id}/grants`, { sessionId: agent.sessionId, granted })
    await grant(true)
    await until(async () => String((await read())['text']).includes('for-your-eyes'))
    await grant(false)
    expect(await read()).toMatchObject({ error_code: 'session_not_found' })
    await harness.owner.post(`/api/terminals/${id}/end`)
  })

  it.each([
    ['the log', (place: string, aim: string) => swap(join(place, 'logs', 'a.log'), join(aim, 'a.log'))],
    ['its directory', (place: string, aim: string) => swap(join(place, 'logs'), aim)],
  ])("T1 an agent's log is not followed out of its workspace if a link replaces %s", async (_what, turn) => {
    await using agent = await harness.connect()
    const aim = await mkdtemp(join(tmpdir(), 'sbo-'))
    await writeFile(join(aim, 'a.log'), 'for nobody to see\n')
    await agent.place.write('logs/a.log', '')
    const log_file = join(agent.place.path, 'logs', 'a.log')
    const started = await agent.call('start_session_monitor', { session_type: 'file', log_file })
    const session_id = started['session_id']
    await appendFile(log_file, 'one\n')
    const text = async () => String((await agent.call('get_session_updates', { session_id }))['text'])
    await until(async () => (await text()).includes('one'))
    await turn(agent.place.path, aim)
    const refusal = (line: string) => line.includes(String(session_id)) && line.includes('not_permitted')
    await until(() => harness.server.log().split('\n').some(refusal), { what: 'a word in the log' })
    await appendFile(join(aim, 'a.log'), 'nor this\n')
    const since = Date.now()
    await until(() => Date.now() - since > 500)
    expect(await text()).toBe('one\n')
    await rm(aim, { recursive: true })
  })
})

async function swap(path: string, aim: string): Promise<void> {
  await rename(path, `${path}.old`)
  await symlink(aim, path)
}
