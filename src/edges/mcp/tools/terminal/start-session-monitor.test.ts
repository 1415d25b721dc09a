import { describe, expect, it } from 'vitest'
import type { TerminalStart, Terminals } from '../../../../app/terminals.ts'
import { maskedRun, runSubject } from '../../../../domain/ask/run.ts'
import type { Ask, AskId } from '../../../../domain/ask/schema.ts'
import type { SessionId } from '../../../../domain/session/id.ts'
import type { Terminal } from '../../../../domain/terminal/schema.ts'
import { fail, notFound, ok, type Result } from '../../../../lib/result.ts'
import type { CallAsk, ToolCall, AskResult } from '../../calls/tool-call.ts'
import { startSessionMonitor } from './start-session-monitor.ts'

const askId = '018f0000-0000-7000-8000-000000000001'
const own = '3b241101-e2bb-4255-8caf-4136c566a962'

type Answered = Pick<Ask, 'status' | 'answer'>
const approved: Answered = { status: 'answered', answer: { outcome: 'approve', always: false, reason: null } }
const open: Answered = { status: 'open', answer: null }

/** An agent whose terminals are never really started; `answered` is the outcome of its asks. */
function setUp(answered: Answered = approved) {
  const asked: CallAsk[] = []
  const started: TerminalStart[] = []
  const terminals = new Map<string, Terminal>()
  let [ask, state]: [Ask | null, Answered] = [null, answered]
  const held = (): Result<AskResult> =>
    ask === null
      ? notFound('request', askId)
      : ok({ ask: { ...ask, ...state, reason: null }, pending: state.status === 'open' })
  const port: Pick<Terminals, 'check' | 'start' | 'get'> = {
    check: async () => ok(undefined),
    start: async (input) => {
      const id = input.sessionId as SessionId
      if (terminals.has(id)) return fail({ kind: 'conflict', code: 'session_already_exists', message: 'It is there.' })
      started.push(input)
      const terminal = {
        sessionId: id,
        sessionType: input.sessionType,
        logFile: input.logFile ?? '/data/terminals/x',
        filePosition: 0,
        startTime: '2026-01-02T00:00:00.000Z',
        state: 'active',
        metadata: input.metadata,
      } as Terminal
      terminals.set(id, terminal)
      return ok(terminal)
    },
    get: async (id) => {
      const terminal = terminals.get(id)
      return terminal ? ok({ terminal, detection: null }) : notFound('session', id)
    },
  }
  const cancelled: object[] = []
  const call = {
    app: { dispatch: async (command: object) => cancelled.push(command) },
    key: 'a key',
    session: { workspaceRoot: '/work/shop' },
    link: { sessionId: own, actor: { kind: 'agent', userId: 'u', tokenId: null, sessionId: own } },
    ask: async (wanted: CallAsk) => {
      asked.push(wanted)
      ask = { id: askId, createdAt: '2026-01-01T00:00:00.000Z', ...wanted } as Ask
      return held()
    },
    reattach: async (id: string) => (id === askId ? held() : notFound('request', id)),
  } as unknown as ToolCall
  const tool = startSessionMonitor(port as Terminals)
  return {
    asked,
    started,
    answer: (next: Answered) => (state = next),
    claim: (wanted: Partial<Ask>) => (ask = { id: askId, ...wanted } as Ask),
    forget: (stored: object) => (ask = { createdAt: '2026-01-01T00:00:00.000Z', ...stored, id: askId } as Ask),
    cancelled,
    async run(input: unknown): Promise<Record<string, unknown>> {
      const result = await tool.run(input, call)
      return result.ok ? result.value : { error_code: result.fault.code, message: result.fault.message }
    },
  }
}

describe('T1 start_session_monitor', () => {
  it('asks about the command, and starts exactly what was approved', async () => {
    const { run, asked, started } = setUp()
    const result = await run({ session_type: 'script', command: ['echo', "it's", 'a b'], metadata: { why: 'test' } })
    expect(asked).toMatchObject([
      { subject: { kind: 'command', command: String.raw`echo 'it'\''s' 'a b'`, cwd: '/work/shop' } },
    ])
    expect(started).toMatchObject([{ command: ['echo', "it's", 'a b'], cwd: '/work/shop', metadata: { why: 'test' } }])
    expect(result).toMatchObject({ session_type: 'script', state: 'active', metadata: { why: 'test' } })
    expect(result['session_id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('is pending until answered; by request_id it starts once, however often it is called', async () => {
    const { run, answer, started } = setUp(open)
    const input = { session_type: 'ssh', host: 'example.org', user: 'me', session_id: own.replace('3b', '4c') }
    expect(await run(input)).toEqual({ status: 'pending', request_id: askId })
    expect(started).toEqual([])
    answer(approved)
    const first = await run({ request_id: askId })
    expect(first).toMatchObject({ session_id: input.session_id, session_type: 'ssh' })
    expect(await run({ request_id: askId })).toEqual(first)
    expect(started).toMatchObject([{ host: 'example.org', user: 'me', sessionType: 'ssh' }])
  })

  it.each([
    [{ status: 'answered', answer: { outcome: 'reject', reason: 'not here' } }, /not here/],
    [{ status: 'expired', answer: null }, /Nobody answered in time/],
    [{ status: 'interrupted', answer: null }, /did not allow/],
  ] as [Answered, RegExp][])('is not permitted if it was %j', async (answered, words) => {
    const { run, started } = setUp(answered)
    const result = await run({ session_type: 'script', command: ['make'] })
    expect(result).toMatchObject({ error_code: 'not_permitted', message: expect.stringMatching(words) })
    expect(started).toEqual([])
  })

  it('needs no ask to follow a file: the log has to be in reach anyway', async () => {
    const { run, asked, started } = setUp()
    await run({ session_type: 'file', log_file: '/work/shop/a.log' })
    await run({ session_type: 'script', log_file: '/work/shop/typescript' })
    expect(asked).toEqual([])
    expect(started).toMatchObject([{ typescript: false }])
  })

  it('starts nothing with an approval of another command', async () => {
    const { run, claim, started } = setUp()
    const command = { kind: 'command' as const, command: 'ls', cwd: '/work/shop' }
    claim({ subject: command, description: null })
    expect(await run({ request_id: askId })).toMatchObject({ error_code: 'request_not_found' })
    const forged = { session_type: 'script', command: ['rm', '-rf', '/'], log_file: null, cwd: null, host: null }
    const rest = { user: null, session_id: null, parent_session_id: null, metadata: {} }
    const json = JSON.stringify({ ...forged, ...rest })
    claim({
      subject: command,
      description: `Runs in a terminal that Signalbox watches.\n\n\`\`\`json\n${json}\n\`\`\``,
    })
    expect(await run({ request_id: askId })).toMatchObject({ error_code: 'request_not_found' })
    expect(started).toEqual([])
  })

  it('starts nothing for an ask of an earlier version, and closes it', async () => {
    const { run, claim, cancelled, answer, started } = setUp(open)
    const subject = { kind: 'command' as const, command: 'ls', cwd: '/work/shop' }
    const description = 'Runs in a terminal that Signalbox watches.\n\n```json\n{}\n```'
    claim({ origin: 'mcp', subject, description })
    expect(await run({ request_id: askId })).toMatchObject({ error_code: 'ask_again' })
    expect(cancelled).toMatchObject([{ type: 'ask.cancel', id: askId }])
    answer(approved)
    expect(await run({ request_id: askId })).toMatchObject({ error_code: 'ask_again' })
    expect(started).toEqual([])
  })

  it('starts a command with its secrets, which its ask does not have, or not at all', async () => {
    const { run: call, answer, asked, started, forget } = setUp(open)
    await call({ session_type: 'script', command: ['psql', '--password=hunter22'] })
    const [ask] = asked
    ask?.known?.(askId as AskId)
    const run = ask?.subject.kind === 'command' ? ask.subject.run : undefined
    if (run === undefined) throw new Error('it has no run')
    const stored = { ...ask, subject: { ...runSubject(maskedRun(run)), masked: true } }
    expect(stored.subject).toMatchObject({ command: "psql '--password=[REDACTED]'" })
    forget(stored)
    answer(approved)
    await call({ request_id: askId })
    expect(started).toMatchObject([{ command: ['psql', '--password=hunter22'] }])
    const other = setUp(approved)
    other.forget(stored)
    expect(await other.run({ request_id: askId })).toMatchObject({ error_code: 'ask_again' })
    expect(other.started).toEqual([])
  })

  it.each([
    [{ session_type: 'script', command: ['ls'], session_id: 'mine' }, 'invalid_session_id'],
    [{ session_type: 'script', command: ['ls'], session_id: askId }, 'invalid_session_id'],
    [{ session_type: 'script', command: ['ls'], parent_session_id: 'x' }, 'invalid_session_id'],
    [{ session_type: 'file' }, 'invalid_input'],
    [{ session_type: 'script' }, 'invalid_input'],
    [{ session_type: 'ssh' }, 'invalid_input'],
    [{ session_type: 'ssh', host: '-oProxyCommand=id' }, 'invalid_input'],
    [{ session_type: 'ssh', host: 'a', command: ['ls'] }, 'invalid_input'],
    [{ session_type: 'file', log_file: '/a', cwd: '/' }, 'invalid_input'],
    [{ session_type: 'tmux' }, 'invalid_input'],
    [{ session_type: 'script', command: ['ls'], shell: true }, 'invalid_input'],
    [{ session_type: 'script', command: ['ls'], metadata: { n: 1 } }, 'invalid_input'],
    [{}, 'invalid_input'],
  ])('%j is %s', async (input, code) => {
    const { run, asked } = setUp()
    expect(await run(input)).toMatchObject({ error_code: code })
    expect(asked).toEqual([])
  })

  it('reports an existing session at once, and asks no one', async () => {
    const { run, asked } = setUp()
    const input = { session_type: 'script', command: ['ls'], session_id: own }
    await run(input)
    expect(await run(input)).toMatchObject({ error_code: 'session_already_exists' })
    expect(asked).toHaveLength(1)
  })
})
