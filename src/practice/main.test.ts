import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods, type SessionUpdate } from '@agentclientprotocol/sdk/unstable'
import { describe, expect, it } from 'vitest'
import { scratch, startPractice } from '../../test/support/agents/practice.ts'
import { until } from '../../test/support/until.ts'

const kindsOf = (updates: SessionUpdate[]): string[] => updates.map(({ sessionUpdate }) => sessionUpdate)

describe('the practice agent initializes', () => {
  it('with its name, protocol version 1 and its capabilities', async () => {
    await using practice = await startPractice()
    expect(practice.hello).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'practice', title: 'Practice agent', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, fork: {} },
      },
      authMethods: [],
    })
  })

  it('with modes, options and commands in a new session', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const session = await practice.newSession(workspace.path)
    expect(session.modes).toMatchObject({
      currentModeId: 'careful',
      availableModes: [{ id: 'careful' }, { id: 'quick' }],
    })
    expect(session.configOptions).toMatchObject([{ id: 'speed', currentValue: 'fast' }])
    const update = await until(() =>
      practice.updates.find((update) => update.sessionUpdate === 'available_commands_update'),
    )
    const names = 'availableCommands' in update ? update.availableCommands.map(({ name }) => name) : []
    expect(names).toEqual(
      expect.arrayContaining(['tour', 'plan', 'edit', 'run', 'ask', 'say', 'slow', 'stall', 'seed']),
    )
  })
})

describe('the tour', () => {
  it('reads, edits, runs and asks, and sums up what was allowed', async () => {
    using workspace = scratch()
    writeFileSync(join(workspace.path, 'README.md'), '# Trains\n\nThey run.\n')
    await using practice = await startPractice({ elicit: () => ({ action: 'accept', content: { answer: 'stop' } }) })
    const { sessionId } = await practice.newSession(workspace.path)
    const { stopReason } = await practice.prompt(sessionId, 'What can you do?')
    expect(stopReason).toBe('end_turn')

    expect(readFileSync(join(workspace.path, 'signalbox-practice.md'), 'utf8')).toContain('- Tour 1 completed.')
    expect(practice.text()).toContain('I read README.md: it has 3 lines and begins with "# Trains"')
    expect(practice.text()).toContain('- Edit of signalbox-practice.md: done\n- Command `ls`: done')
    expect(practice.text()).toContain('- Question: answered "stop"')
    expect(practice.permissions.map(({ toolCall }) => toolCall.kind)).toEqual(['edit', 'execute'])
    expect(practice.permissions[0]).toMatchObject({
      toolCall: {
        content: [{ type: 'diff', oldText: null, path: join(workspace.path, 'signalbox-practice.md') }],
        locations: [{ path: join(workspace.path, 'signalbox-practice.md') }],
      },
      options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
    })
    expect(practice.permissions[1]?.toolCall.rawInput).toEqual({ command: 'ls', cwd: workspace.path })

    const kinds = kindsOf(practice.updates)
    expect(kinds).toEqual(expect.arrayContaining(['session_info_update', 'agent_thought_chunk', 'tool_call', 'plan']))
    expect(kinds.at(-1)).toBe('usage_update')
    const plans = practice.updates.filter((update) => update.sessionUpdate === 'plan')
    expect(plans).toHaveLength(5)
    expect(plans.at(-1)?.entries.map(({ status }) => status)).toEqual(Array(4).fill('completed'))
    const outputs = practice.updates.flatMap((update) => ('content' in update ? JSON.stringify(update.content) : []))
    expect(outputs.join('')).toContain('signalbox-practice.md')
  })

  it('continues after rejections and leaves everything untouched, in an empty workspace', async () => {
    using workspace = scratch()
    await using practice = await startPractice({ choose: () => 'reject', capabilities: {} })
    const { sessionId } = await practice.newSession(workspace.path)
    expect(await practice.prompt(sessionId, '/tour')).toMatchObject({ stopReason: 'end_turn' })
    expect(existsSync(join(workspace.path, 'signalbox-practice.md'))).toBe(false)
    expect(practice.text()).toContain('has no file to read yet')
    expect(practice.text()).toContain('signalbox-practice.md: not allowed\n- Command `ls`: not allowed')
    // Without forms the question comes as a permission request.
    expect(practice.permissions).toHaveLength(3)
    expect(practice.text()).toContain('- Question: not answered')
  })
})

describe('modes', () => {
  it('quick edits without asking, and still asks before commands', async () => {
    using workspace = scratch()
    await using practice = await startPractice({ choose: () => 'reject' })
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'quick' })
    await practice.prompt(sessionId, '/write a.txt hello\n/run touch b.txt')
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('hello\n')
    expect(existsSync(join(workspace.path, 'b.txt'))).toBe(false)
    expect(practice.permissions.map(({ toolCall }) => toolCall.kind)).toEqual(['execute'])
    await expect(practice.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'wild' })).rejects.toThrow(
      /careful and quick/,
    )
  })

  it('quick still asks before it writes outside the workspace', async () => {
    using workspace = scratch()
    using elsewhere = scratch()
    await using practice = await startPractice({ choose: () => 'reject' })
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, `/mode quick\n/write ${join(elsewhere.path, 'a.txt')} hello`)
    expect(practice.permissions).toHaveLength(1)
    expect(existsSync(join(elsewhere.path, 'a.txt'))).toBe(false)
  })

  it('an "always" applies for the session, for that kind of work', async () => {
    using workspace = scratch()
    await using practice = await startPractice({ choose: () => 'allow-always' })
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/write a.txt one\n/edit a.txt one => two\n/run true')
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('two\n')
    expect(practice.permissions.map(({ toolCall }) => toolCall.kind)).toEqual(['edit', 'execute'])
  })
})

describe('cancel', () => {
  it.each([
    '/stall forever',
    '/slow 100000 5',
    '/chunks 100000000',
    '/run sleep 1000',
    '/term sleep 1000',
    '/ask Why?',
  ])('ends %s with the stop reason cancelled', async (line) => {
    using workspace = scratch()
    await using practice = await startPractice({
      elicit: () => new Promise(() => {}),
      capabilities: { terminal: true, elicitation: {} },
    })
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, `/say begun\n${line}`)
    await until(() => practice.text().includes('begun'))
    await practice.cancel(sessionId)
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
  })

  it('withdraws an open permission request and does nothing with it', async () => {
    using workspace = scratch()
    await using practice = await startPractice({ choose: () => new Promise(() => {}) })
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/write a.txt hello')
    await until(() => practice.permissions.length)
    await practice.cancel(sessionId)
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    await until(() => practice.withdrawn.length)
    expect(existsSync(join(workspace.path, 'a.txt'))).toBe(false)
  })

  it('is ignored on request, until the session is closed', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/ignore-cancel\n/slow 100000 5')
    await until(() => practice.text().includes('word-2'))
    await practice.cancel(sessionId)
    const before = practice.text().length
    await until(() => practice.text().length > before + 20)
    await practice.agent.request(methods.agent.session.close, { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
  })

  it('leaves the other sessions of the process alone', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const one = await practice.newSession(workspace.path)
    const two = await practice.newSession(workspace.path)
    const turns = [practice.prompt(one.sessionId, '/stall forever'), practice.prompt(two.sessionId, '/slow 30 5')]
    await until(() => practice.text(two.sessionId).includes('word-2'))
    await practice.cancel(one.sessionId)
    expect(await Promise.all(turns)).toMatchObject([{ stopReason: 'cancelled' }, { stopReason: 'end_turn' }])
    expect(practice.text(two.sessionId)).toBe(Array.from({ length: 30 }, (_, n) => `word-${n + 1}`).join(' '))
  })
})

describe('the process', () => {
  it('ends with its children when stdin ends', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/run echo $$ > pid; exec sleep 1000').catch(() => 'gone')
    const file = join(workspace.path, 'pid')
    const pid = await until(() => existsSync(file) && readFileSync(file, 'utf8').trim())
    practice.child.stdin.end()
    expect(await practice.exit).toBe(0)
    expect(await turn).toBe('gone')
    await until(() => !isAlive(Number(pid)), { what: 'the end of the child' })
  })

  it.each([
    ['/crash', 1],
    ['/crash 7', 7],
    ['/exit', 0],
  ])('ends by %s with code %i, after all its output', async (line, code) => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, `/chunks 2000\n${line}`).catch(() => 'gone')
    expect(await practice.exit).toBe(code)
    expect(await turn).toBe('gone')
    expect(practice.text()).toMatch(/ 2000 $/)
    expect(practice.stderr().split('\n').filter(Boolean)).toHaveLength(code === 0 ? 0 : 2)
  })

  it('leaves background processes running on request', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/leave exec sleep 1000')
    const pid = Number(/pid (\d+)/.exec(practice.text())?.[1])
    try {
      practice.child.stdin.end()
      await practice.exit
      expect(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim()).toBe(String(pid))
    } finally {
      process.kill(pid, 'SIGKILL')
    }
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
