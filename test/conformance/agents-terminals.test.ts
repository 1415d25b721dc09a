import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, plainAgent, type AgentSession, type OpenAsk, type AgentsHarness } from './agents-harness.ts'

type Answered = {
  terminalId?: string
  exitCode?: number
  output?: string
  content?: string
  error?: { code: number; message: string }
  outcome?: { outcome: string; optionId?: string }
}
type Call = [method: string, params: object]

describe('programs we run for an agent', () => {
  let harness: AgentsHarness
  let session: AgentSession
  beforeAll(async () => {
    harness = await openAgentsHarness({
      config: `[acp]\nmax_sessions = 100\n${plainAgent('plain')}${plainAgent('bare', [], 'client_terminal = false')}`,
    })
    session = await harness.start({ agent: 'plain' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const rounds = (calls: readonly (readonly Call[])[], of = session) =>
    harness.prompt(of, `calls ${JSON.stringify(calls)}`)
  const begin = (calls: readonly Call[], of = session) => rounds([calls], of)
  const answersOf = async (turn: Awaited<ReturnType<typeof begin>>, of = session): Promise<Answered[]> => {
    await harness.settled(turn)
    return JSON.parse(await harness.said(of))
  }
  const call = async (calls: readonly Call[], of = session) => answersOf(await begin(calls, of), of)
  const create = (params: object): Call => ['terminal/create', params]
  const onTerminal = (method: string, terminalId: string | undefined): Call => [`terminal/${method}`, { terminalId }]

  async function approved(params: object, of = session) {
    const turn = await begin([create(params)], of)
    const ask = await harness.openAsk(of)
    await harness.answer(ask, { outcome: 'approve' })
    const [answer] = await answersOf(turn, of)
    return { ask, terminalId: answer?.terminalId, error: answer?.error }
  }
  async function printed(terminalId: string | undefined, of = session) {
    await call([onTerminal('wait_for_exit', terminalId)], of)
    const [output] = await call([onTerminal('output', terminalId), onTerminal('release', terminalId)], of)
    return output?.output
  }

  it('X7 variables it asks for are shown with the command, and set only for it', async () => {
    const env = [{ name: 'GREETING', value: 'hello there' }]
    const { ask, terminalId } = await approved({ command: 'printenv', args: ['GREETING'], env })
    expect(ask.subject['command']).toBe("GREETING='hello there' printenv GREETING")
    expect(await printed(terminalId)).toBe('hello there\n')
  })

  it.each(['A B', 'A=B', '-i', 'SIGNALBOX_CHILD'])(
    'X7 a variable called %s is refused without asking',
    async (name) => {
      const [answer] = await call([create({ command: 'true', env: [{ name, value: 'x' }] })])
      expect(answer?.error).toMatchObject({ code: -32602, message: expect.stringContaining(name) })
    },
  )

  it.runIf(sandboxWorks())('A13 environment variables it asks for change nothing outside the sandbox', async () => {
    const confined = await harness.start({ agent: 'plain', isolation: 'sandbox' })
    const seen = join(harness.home, 'seen')
    await mkdir(seen)
    // The program loader writes to this path if these variables are set.
    const env = [
      { name: 'LD_DEBUG', value: 'libs' },
      { name: 'LD_DEBUG_OUTPUT', value: join(seen, 'loader') },
    ]
    const { terminalId } = await approved({ command: 'printenv LD_DEBUG', env }, confined)
    expect(await printed(terminalId, confined)).toContain('libs\n')
    expect(await readdir(seen)).toEqual([])
  })

  it('X7 an approved command is not asked about again; a different one, elsewhere or with variables, is', async () => {
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
    const toolCall = { toolCallId: 'one', title: 'make', kind: 'execute', rawInput: { command: 'echo # fine\necho b' } }
    const permission: Call = ['session/request_permission', { toolCall, options }]
    const command = 'echo # fine\necho b'
    await mkdir(join(session.workspaceRoot, 'sub'))
    const others = [
      { command: 'echo # fine echo b' },
      { command: 'make' },
      { command, env: [{ name: 'A', value: 'b' }] },
      { command, cwd: join(session.workspaceRoot, 'sub') },
      { command: './sh', args: ['-c', command] },
    ]
    const turn = await rounds([[permission], others.map(create), [create({ command })]])
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    for (const ask of await harness.openAsks(session, others.length)) await harness.answer(ask, { outcome: 'reject' })
    const [, ...answers] = await answersOf(turn)
    const made = answers.pop()
    expect(answers.map(({ error }) => error?.message)).toEqual(others.map(() => 'The command was not approved.'))
    expect(await printed(made?.terminalId)).toBe('\nb\n')
  })

  it('X7 an id used both to allow and to reject allows nothing', async () => {
    const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: 'same', name: kind, kind }))
    const toolCall = { toolCallId: 'two', title: 'make', kind: 'execute' }
    const turn = await begin([['session/request_permission', { toolCall, options }]])
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    expect(await answersOf(turn)).toEqual([{ outcome: { outcome: 'cancelled' } }])
  })

  it('X7 everyone waiting for a program gets its exit', async () => {
    const { terminalId } = await approved({ command: 'until [ -e go ]; do sleep 0.05; done; exit 4' })
    const toolCall = { toolCallId: 'three', title: 'go' }
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
    const wait = onTerminal('wait_for_exit', terminalId)
    const turn = await begin([wait, wait, ['session/request_permission', { toolCall, options }]])
    // Asked after the two, so that both are waiting when it ends.
    const ask = await harness.openAsk(session)
    await writeFile(join(session.workspaceRoot, 'go'), '')
    await harness.answer(ask, { outcome: 'approve' })
    expect(await answersOf(turn)).toMatchObject([{ exitCode: 4 }, { exitCode: 4 }, {}])
  })

  it('X7 there can be 32 terminals, until one is released', async () => {
    const many = await harness.start({ agent: 'plain' })
    const turn = await begin(
      Array.from({ length: 34 }, () => create({ command: 'true' })),
      many,
    )
    const open = await until(async () => {
      const { asks } = await harness.api.get<{ asks: OpenAsk[] }>(
        `/api/asks?status=open&sessionId=${many.id}&limit=100`,
      )
      return asks.length === 34 ? asks : null
    })
    await Promise.all(open.map((ask) => harness.answer(ask, { outcome: 'approve' })))
    const answers = await answersOf(turn, many)
    const full = { code: -32000, message: expect.stringContaining('32 terminals') }
    expect(answers.filter(({ error }) => error)).toEqual([{ error: full }, { error: full }])
    // Nobody is asked about what is never allowed.
    expect(await call([create({ command: 'true' })], many)).toEqual([{ error: full }])
    await call([onTerminal('release', answers.find(({ terminalId }) => terminalId)?.terminalId)], many)
    expect((await approved({ command: 'true' }, many)).terminalId).toMatch(/./)
  })

  it('X7 an agent that was offered no terminals gets none; files still work', async () => {
    const bare = await harness.start({ agent: 'bare' })
    const path = join(bare.workspaceRoot, 'missing.txt')
    const [made, waited, file] = await call(
      [create({ command: 'true' }), onTerminal('wait_for_exit', 'x'), ['fs/read_text_file', { path }]],
      bare,
    )
    for (const answer of [made, waited]) expect(answer?.error?.code).toBe(-32601)
    expect(file?.error?.code).toBe(-32002)
  })
})
