import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods, type RequestError } from '@agentclientprotocol/sdk/unstable'
import { describe, expect, it } from 'vitest'
import { scratch, startPractice } from '../../test/support/agents/practice.ts'
import { until } from '../../test/support/until.ts'

type Practice = Awaited<ReturnType<typeof startPractice>>

describe('a scripted prompt', () => {
  it('is performed line by line, with its texts on separate lines', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/say one\ntwo\n/think hm\n/say three\n/chunks 3\n/nonsense')
    expect(practice.text()).toMatch(/^one\ntwothree\n1 2 3 \nUnknown command \/nonsense\. Commands: tour, say/)
  })

  it('sends every chunk, in order', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/chunks 20000')
    expect(practice.text()).toBe(Array.from({ length: 20_000 }, (_, n) => `${n + 1} `).join(''))
  })

  it('runs one turn of a session at a time', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/say begun\n/stall forever')
    await until(() => practice.text())
    await expect(practice.prompt(sessionId, '/say two')).rejects.toThrow(/still running/)
    await practice.cancel(sessionId)
    await turn
  })

  it('reports the given usage, or else small figures that grow', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/say hi')
    await practice.prompt(sessionId, '/say hi')
    await practice.prompt(sessionId, '/usage 123 4.5')
    const usages = practice.updates.filter((update) => update.sessionUpdate === 'usage_update')
    expect(usages.map(({ used, size, cost }) => [used, size, cost?.amount])).toEqual([
      [503, 200_000, 0.00503],
      [1006, 200_000, 0.01006],
      [123, 200_000, 4.5],
      [123, 200_000, 4.5],
    ])
  })

  it('fails on request', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    expect(await faultOf(practice.prompt(sessionId, '/ratelimit'))).toMatchObject({ code: 429, data: { status: 429 } })
    expect(await faultOf(practice.prompt(sessionId, '/error No luck today'))).toMatchObject({
      code: -32603,
      message: 'No luck today',
    })
    expect(await practice.prompt(sessionId, '/say still here')).toMatchObject({ stopReason: 'end_turn' })
  })

  it('prints names of variables, never values', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/env')
    expect(practice.text()).toContain('SECRET_TOKEN')
    expect(practice.text()).not.toContain('never printed')
    expect(practice.text()).toContain(`workspace: ${workspace.path}`)
  })
})

describe('files', () => {
  it('are edited only if they contain the old text', async () => {
    using workspace = scratch()
    writeFileSync(join(workspace.path, 'a.txt'), 'red\n')
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(
      sessionId,
      '/edit a.txt green => blue\n/edit a.txt red => $& amber\n/read a.txt\n/read none.txt',
    )
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('$& amber\n')
    expect(practice.permissions).toHaveLength(1)
    expect(practice.text()).toBe('edit a.txt: failededit a.txt: doneread none.txt: file not found')
  })

  it('that changed while the ask was open are not overwritten', async () => {
    using workspace = scratch()
    const file = join(workspace.path, 'a.txt')
    await using practice = await startPractice({
      choose: () => {
        writeFileSync(file, 'mine\n')
        return 'allow'
      },
    })
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/write a.txt yours')
    expect(readFileSync(file, 'utf8')).toBe('mine\n')
    expect(practice.text()).toBe('write a.txt: failed')
  })

  it('are written differently from the diff by /cheat', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/cheat a.txt fair')
    expect(practice.permissions[0]?.toolCall.content).toMatchObject([{ type: 'diff', newText: 'fair\n' }])
    expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('fair\nThis line was not in the diff.\n')
  })

  it('go through the client by /fsread and /fswrite, with the path as given', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/fswrite ../a.txt hello')
    const asked = await until(() => practice.seeds[0])
    expect(asked).toMatchObject({
      method: 'fs/write_text_file',
      params: { path: `${workspace.path}/../a.txt`, content: 'hello\n' },
    })
    practice.raw({ id: asked.id, error: { code: -32602, message: 'Outside the workspace' } })
    await turn
    expect(practice.text()).toBe('fs/write_text_file ../a.txt: refused: Outside the workspace (-32602)')
  })
})

describe('asks', () => {
  it.each([
    ['only-always', ['allow_always', 'reject_always']],
    ['no-allow', ['reject_once', 'reject_always']],
    ['no-reject', ['allow_once', 'allow_always']],
  ])('/permit %s offers %j', async (name, kinds) => {
    using workspace = scratch()
    await using practice = await startPractice({ choose: () => 'cancelled' })
    const { sessionId } = await practice.newSession(workspace.path)
    expect(await practice.prompt(sessionId, `/permit ${name}`)).toMatchObject({ stopReason: 'end_turn' })
    expect(practice.permissions[0]?.options.map(({ kind }) => kind)).toEqual(kinds)
    expect(practice.text()).toBe(`permit ${name}: cancelled`)
  })

  it('/permit parallel asks two at once', async () => {
    using workspace = scratch()
    const both = Promise.withResolvers<string>()
    await using practice = await startPractice({ choose: () => both.promise })
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/permit parallel')
    await until(() => practice.permissions.length === 2)
    both.resolve('allow')
    await turn
    expect(practice.text()).toBe('permit parallel: allow, allow')
  })

  it('/ask prints the answer, or asks as text if there are no forms', async () => {
    using workspace = scratch()
    await using practice = await startPractice({ elicit: () => ({ action: 'accept', content: { answer: '42' } }) })
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/ask How many?')
    expect(practice.text()).toBe('ask: 42')

    await using plain = await startPractice({ capabilities: {} })
    const other = await plain.newSession(workspace.path)
    await plain.prompt(other.sessionId, '/ask How many?')
    expect(plain.text()).toMatch(/^How many\?/)
  })

  it('/repeat makes the same call repeatedly', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/repeat 3')
    const calls = practice.updates.filter((update) => update.sessionUpdate === 'tool_call')
    expect(new Set(calls.map(({ title, rawInput }) => JSON.stringify({ title, rawInput }))).size).toBe(1)
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(3)
  })
})

describe('a conversation', () => {
  const told = '/remember the signal is green\n/chunks 50'

  async function tell(practice: Practice, cwd: string): Promise<string> {
    const { sessionId } = await practice.newSession(cwd)
    await practice.prompt(sessionId, told)
    practice.child.stdin.end()
    await practice.exit
    return sessionId
  }

  it('is replayed by session/load in another process, and continues', async () => {
    using workspace = scratch()
    using state = scratch()
    await using first = await startPractice({ stateHome: state.path })
    const sessionId = await tell(first, workspace.path)
    await using practice = await startPractice({ stateHome: state.path })
    await practice.agent.request(methods.agent.session.load, { sessionId, cwd: workspace.path, mcpServers: [] })
    expect(practice.text()).toBe(first.text())
    expect(practice.updates[0]).toMatchObject({ sessionUpdate: 'user_message_chunk', content: { text: told } })
    await practice.prompt(sessionId, '/recall')
    expect(practice.text()).toMatch(/I remember: the signal is green$/)
  })

  it('continues by session/resume without replay, and by session/fork under another id', async () => {
    using workspace = scratch()
    using state = scratch()
    await using first = await startPractice({ stateHome: state.path })
    const sessionId = await tell(first, workspace.path)
    await using practice = await startPractice({ stateHome: state.path })
    await practice.agent.request(methods.agent.session.resume, { sessionId, cwd: workspace.path })
    const fork = await practice.agent.request(methods.agent.session.fork, { sessionId, cwd: workspace.path })
    expect(practice.text()).toBe('')
    await practice.prompt(fork.sessionId, '/remember and the track is clear\n/recall')
    await practice.prompt(sessionId, '/recall')
    expect(practice.text(fork.sessionId)).toMatch(/green; and the track is clear$/)
    expect(practice.text(sessionId)).toBe('I remember: the signal is green')
    const { sessions } = await practice.agent.request(methods.agent.session.list, { cwd: workspace.path })
    expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual([sessionId, fork.sessionId].toSorted())
    expect(sessions[0]).toMatchObject({ title: '/remember the signal is green', cwd: workspace.path })
  })

  it('that does not exist can be neither loaded nor reached by a path', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    for (const sessionId of ['unknown', '../../etc/passwd']) {
      const load = { sessionId, cwd: workspace.path, mcpServers: [] }
      expect(await faultOf(practice.agent.request(methods.agent.session.load, load))).toMatchObject({ code: -32002 })
    }
  })
})

describe("Signalbox's own stream methods", () => {
  it.each(['number', 'string', 'params-number', 'params-string'])('keep the type of an id: %s', async (style) => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, `/seed clearance ${style}`)
    const asked = await until(() => practice.seeds[0])
    expect(asked).toMatchObject({
      method: 'clearance/request',
      params: { title: expect.any(String), file_path: 'signalbox-practice.md', risk_level: 'low' },
    })
    const inParams = style.startsWith('params')
    const id: unknown = inParams ? Object(asked.params).id : asked.id
    expect(typeof id).toBe(style.replace('params-', ''))
    const status = { status: 'approved' }
    practice.raw(
      inParams
        ? { method: 'clearance/response', params: { id, ...status } }
        : { id, method: 'clearance/response', params: status },
    )
    await turn
    expect(practice.text()).toContain(`clearance/response id=${JSON.stringify(id)} {`)
    expect(practice.text()).toContain('"status":"approved"')
  })

  it('that are unsolicited are shown as text; session/interrupt ends the turn', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/seed status\n/seed heartbeat\n/stall forever')
    await until(() => practice.seeds.length === 2)
    expect(practice.seeds.map(({ method }) => method)).toEqual(['status/update', 'heartbeat'])
    practice.raw({ method: 'nudge', params: { message: 'Are you there?' } })
    practice.raw({ method: 'prompt/send', params: { text: 'Go on' } })
    practice.raw({ method: 'session/interrupt', params: { reason: 'enough' } })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    expect(practice.text()).toBe(
      'nudge {"message":"Are you there?"}prompt/send {"text":"Go on"}session/interrupt {"reason":"enough"}',
    )
  })
})

describe('terminals', () => {
  it('are not used if the client has none', async () => {
    using workspace = scratch()
    await using practice = await startPractice()
    const { sessionId } = await practice.newSession(workspace.path)
    await practice.prompt(sessionId, '/term touch a.txt')
    expect(practice.text()).toBe('term: your client offers no terminals.')
    expect(existsSync(join(workspace.path, 'a.txt'))).toBe(false)
  })

  it('of the client are created, waited for, read and released', async () => {
    using workspace = scratch()
    await using practice = await startPractice({ capabilities: { terminal: true } })
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/term git status --short')
    const answers = [{ terminalId: 't1' }, { exitCode: 0 }, { output: 'M a.txt', truncated: false }, {}]
    for (const [index, result] of answers.entries()) {
      const { id } = await until(() => practice.seeds[index])
      practice.raw({ id, result })
    }
    await turn
    expect(practice.seeds.map(({ method }) => method)).toEqual(
      ['create', 'wait_for_exit', 'output', 'release'].map((name) => `terminal/${name}`),
    )
    expect(practice.seeds[0]?.params).toMatchObject({
      command: 'git',
      args: ['status', '--short'],
      cwd: workspace.path,
    })
    expect(practice.text()).toBe('term git status --short: ended with code 0\nM a.txt')
  })

  it('are released if the turn is cancelled before the client says which one it is', async () => {
    using workspace = scratch()
    await using practice = await startPractice({ capabilities: { terminal: true } })
    const { sessionId } = await practice.newSession(workspace.path)
    const turn = practice.prompt(sessionId, '/term sleep 1000')
    const { id } = await until(() => practice.seeds[0])
    await practice.cancel(sessionId)
    await until(() => practice.withdrawn.includes('terminal/create'))
    practice.raw({ id, result: { terminalId: 't1' } })
    const release = await until(() => practice.seeds.find(({ method }) => method === 'terminal/release'))
    expect(release.params).toMatchObject({ terminalId: 't1' })
    practice.raw({ id: release.id, result: {} })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
  })
})

const faultOf = (promise: Promise<unknown>): Promise<RequestError> =>
  promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: RequestError) => error,
  )
