import { access, rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRunning, openTerminalHarness, type Terminal, type TerminalHarness } from '../support/terminal-harness.ts'
import { openRunHarness } from './terminals-run-harness.ts'

describe('terminals that are refused', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const refused = (body: object) => harness.owner.refused('POST', '/api/terminals', body)
  const all = async () => (await harness.owner.get<{ terminals: Terminal[] }>('/api/terminals')).terminals.length

  it.each([
    ['a command and a log', { sessionType: 'script', logFile: '/etc/hostname' }],
    ['a file with a command', { sessionType: 'file' }],
    ['ssh with a log', { sessionType: 'ssh', host: 'example.org', logFile: '/etc/hostname' }],
  ])('T1 %s: nothing runs, and the answer says why', async (_what, body) => {
    const ran = harness.at('ran')
    const before = await all()
    expect(await refused({ ...body, command: ['touch', ran] })).toMatchObject({
      status: 400,
      code: 'invalid_input',
      hint: expect.stringContaining('logFile'),
    })
    await expect(access(ran)).rejects.toThrow('ENOENT')
    expect(await all()).toBe(before)
  })

  it('T1 a missing or non-executable program leaves no terminal behind', async () => {
    const plain = harness.at('plain')
    await writeFile(plain, 'echo hello\n')
    const before = await all()
    const start = (program: string) => refused({ sessionType: 'script', command: [program], cwd: harness.base })
    expect(await start('no-such-program-of-ours')).toMatchObject({ status: 400, code: 'program_not_found' })
    expect(await start('./nothing')).toMatchObject({ status: 400, code: 'program_not_found' })
    expect(await start('./plain')).toMatchObject({ status: 400, code: 'program_not_executable' })
    expect(await start('/etc')).toMatchObject({ status: 400, code: 'program_not_executable' })
    expect(await all()).toBe(before)
  })

  it('T1 a UUID that is not version 4, and an empty name', async () => {
    const body = { sessionType: 'script', command: ['true'] }
    const other = '018f0000-0000-7000-8000-000000000001'
    expect(await refused({ ...body, sessionId: other })).toMatchObject({ status: 400 })
    expect(await refused({ ...body, name: '' })).toMatchObject({ status: 400 })
  })

  it.each([
    { sessionType: 'ssh' },
    { sessionType: 'ssh', host: '-oProxyCommand=id' },
    { sessionType: 'file' },
    { sessionType: 'file', logFile: '/nowhere/a.log' },
    { sessionType: 'file', logFile: '/etc' },
    { sessionType: 'file', logFile: '/etc/hostname', filePosition: 100_000 },
    { sessionType: 'script', command: ['true'], cwd: '/nowhere' },
    { sessionType: 'script', command: ['true'], cwd: 'here' },
    { sessionType: 'script', command: ['true\0'] },
  ])('T1 %j: the answer says what to do', async (body) => {
    expect(await refused(body)).toMatchObject({ hint: expect.stringMatching(/\w+ \w+/) })
  })

  it('T1 an id in use, and keys for a log: the answer says what to do', async () => {
    const { sessionId } = await harness.run('true')
    const again = { sessionType: 'script', command: ['true'], sessionId }
    expect(await refused(again)).toMatchObject({ code: 'session_already_exists', hint: expect.stringMatching(/\w/) })
    const log = await harness.follow('/etc/hostname')
    const typed = await harness.owner.refused('POST', `/api/terminals/${log.sessionId}/input`, { text: 'a' })
    expect(typed).toMatchObject({ code: 'no_keyboard', hint: expect.stringMatching(/\w/) })
  })

  it('T2 output no longer kept is reported as gone, also when reading from the start', async () => {
    const { sessionId: id, logFile } = await harness.run('echo hello')
    await harness.ended(id)
    expect(await harness.updates(id)).toMatchObject({ text: 'hello\n', truncated: false })
    await rm(logFile, { recursive: true })
    for (const query of [{}, { cursor: '0:0' }])
      expect(await harness.updates(id, query)).toMatchObject({ text: '', truncated: true })
  })

  it('T1 T3 a terminal that is no longer watched is not called ended: its program may still run', async () => {
    const { sessionId: id } = await harness.run('echo $$; exec sleep 600')
    const pid = Number.parseInt((await harness.prints(id, /^\d+\r?\n/)).text, 10)
    await harness.owner.post(`/api/terminals/${id}/stop`)
    const detection = await harness.owner.refused('GET', `/api/terminals/${id}/detection`)
    expect(detection).toMatchObject({ status: 409, code: 'terminal_stopped', hint: expect.stringMatching(/\w/) })
    expect(isRunning(pid)).toBe(true)
    const ended = await harness.run('exit 0')
    await harness.ended(ended.sessionId)
    expect(await harness.detect(ended.sessionId)).toMatchObject({ state: 'exited', waiting: false })
  })
})

describe('the command line', () => {
  it('T1 reports what can’t be run with the exit codes of shells, and refuses a name that is too long', async () => {
    await using runner = await openRunHarness()
    await writeFile(`${runner.home}/plain`, 'echo hello\n')
    for (const [program, code] of [
      ['./plain', 126],
      ['/etc', 126],
      ['./nothing', 127],
    ] as const)
      expect([program, (await runner.cli('run', '--', program)).code]).toEqual([program, code])
    const long = await runner.cli('run', '--name', 'n'.repeat(201), '--', 'true')
    expect(long).toMatchObject({ code: 2, stderr: expect.stringContaining('200 characters') })
  })

  it('T5 reports that a recording can’t be written there', async () => {
    await using harness = await openTerminalHarness()
    await using runner = await openRunHarness({ home: harness.server.home })
    const { sessionId: id } = await harness.run('echo hello')
    await harness.ended(id)
    const saved = await runner.cli('terminals', 'cast', id, '--output', '/nowhere/x.cast')
    expect(saved).toMatchObject({ code: 1, stderr: expect.stringContaining('directory not found') })
  })
})
