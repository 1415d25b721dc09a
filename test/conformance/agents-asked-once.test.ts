// Goose and Kimi ask before they use the files and terminals of their client. One thing must be decided once.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openAgentsHarness, plainAgent, type AgentSession, type AgentsHarness } from './agents-harness.ts'

type Call = readonly [method: string, params: object]
type Answered = { terminalId?: string; error?: { message: string }; outcome?: { outcome: string } }

const options = [
  { optionId: 'approve_once', name: 'Approve once', kind: 'allow_once' },
  { optionId: 'approve_always', name: 'Approve for this session', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
]
const text = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }]

/** As Kimi asks: first the input as JSON text, piece by piece; then for permission, with a title that says nothing. */
function kimi(id: string, title: string, kind: string, input: object): Call[][] {
  const whole = JSON.stringify(input)
  const call = { toolCallId: id, title }
  const update = (more: object): Call => ['session/update', { update: { toolCallId: id, ...more } }]
  return [
    [update({ sessionUpdate: 'tool_call', title, kind, status: 'pending', content: text(whole.slice(0, 9)) })],
    [update({ sessionUpdate: 'tool_call_update', status: 'in_progress', content: text(whole) })],
    [
      [
        'session/request_permission',
        { options, toolCall: { ...call, content: text(`Requesting approval to ${title}`) } },
      ],
    ],
  ]
}

/** As Goose asks: with the input, and without saying of what kind the tool is. */
const goose = (id: string, title: string, _kind: string, rawInput: object): Call[][] => [
  [
    [
      'session/request_permission',
      { options, toolCall: { toolCallId: id, title, kind: 'other', status: 'pending', rawInput } },
    ],
  ],
]

describe('agents that ask, and then use what is ours', () => {
  let harness: AgentsHarness
  let session: AgentSession
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: `[acp]\nmax_sessions = 100\n${plainAgent('plain')}` })
    session = await harness.start({ agent: 'plain' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const rounds = (calls: readonly (readonly Call[])[]) => harness.prompt(session, `calls ${JSON.stringify(calls)}`)
  const answersOf = async (turn: Awaited<ReturnType<typeof rounds>>): Promise<Answered[]> => {
    await harness.settled(turn)
    return (JSON.parse(await harness.said(session)) as Answered[]).filter((one) => Object.keys(one).length > 0)
  }
  const asksMade = async () =>
    (await harness.api.get<{ asks: unknown[] }>(`/api/asks?sessionId=${session.id}&limit=100`)).asks.length
  const file = (name: string) => join(session.workspaceRoot, name)

  it.each([
    ['Kimi', kimi, 'Bash', { command: 'echo "one thing" > by-kimi.txt', timeout: 60 }],
    ['Goose', goose, 'developer: shell', { command: 'echo "one thing" > by-goose.txt' }],
  ] as const)(
    'X7 a command that %s asks about is shown, and not asked about again',
    async (name, asks, title, input) => {
      const before = await asksMade()
      const again: Call = ['terminal/create', { command: 'sh', args: ['-c', input.command] }]
      const turn = await rounds([...asks(`${name} 1`, title, 'execute', input), [again]])
      const ask = await harness.openAsk(session)
      expect(ask.title).toContain(input.command)
      await harness.answer(ask, { outcome: 'approve' })
      const [, made] = await answersOf(turn)
      expect(made?.terminalId).toMatch(/./)
      const written = () => readFile(file(`by-${name.toLowerCase()}.txt`), 'utf8').catch(() => '')
      await until(async () => (await written()) === 'one thing\n', { what: 'what the command wrote' })
      expect(await asksMade()).toBe(before + 1)
    },
  )

  it.each([
    ['Kimi', kimi, 'Write'],
    ['Goose', goose, 'developer: write'],
  ] as const)(
    'X7 a file that %s asks to write is shown as a diff, and not asked about again',
    async (name, asks, title) => {
      const before = await asksMade()
      const path = file(`${name}.txt`)
      await writeFile(path, 'old words\n')
      const write = (content: string): Call => ['fs/write_text_file', { path, content }]
      const turn = await rounds([
        ...asks(`${name} 2`, title, 'edit', { path, content: 'new words\n' }),
        [write('new words\n')],
      ])
      const ask = await harness.openAsk(session)
      const { content } = ask.subject.toolCall as { content: object[] }
      expect(content).toContainEqual({ type: 'diff', path, oldText: 'old words\n', newText: 'new words\n' })
      await harness.answer(ask, { outcome: 'approve' })
      await harness.settled(turn)
      expect(await readFile(path, 'utf8')).toBe('new words\n')
      expect(await asksMade()).toBe(before + 1)
      // It can be undone like any approved change.
      await harness.api.post(`/api/asks/${ask.id}/undo`)
      expect(await readFile(path, 'utf8')).toBe('old words\n')
    },
  )

  it('X7 a part of a file that Goose asks to replace is not asked about again', async () => {
    const before = await asksMade()
    const path = file('part.txt')
    await writeFile(path, 'one\ntwo\nthree\n')
    const input = { path, before: 'two\n', after: '2\n' }
    const turn = await rounds([
      ...goose('part', 'developer: edit', '', input),
      [['fs/write_text_file', { path, content: 'one\n2\nthree\n' }]],
    ])
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n')
    expect(await asksMade()).toBe(before + 1)
  })

  it.each(['Kimi', 'Goose'] as const)('X7 what %s was not shown to want is asked about', async (name) => {
    const asks = name === 'Kimi' ? kimi : goose
    const path = file(`other-${name}.txt`)
    // A tool of a code host: it writes elsewhere, whatever its path says.
    const elsewhere = { path, content: 'x', repo: 'other', branch: 'main' }
    const turn = await rounds([
      ...asks(`${name} 3`, 'Tool', 'other', { path, content: 'approved' }),
      ...asks(`${name} 4`, 'Tool', 'other', elsewhere),
      ...asks(`${name} 5`, 'make', 'read', { command: 'echo hidden' }),
      [['fs/write_text_file', { path, content: 'something else' }]],
      [['fs/write_text_file', { path, content: 'x' }]],
      [['terminal/create', { command: 'make' }]],
      ...(name === 'Goose' ? [] : [[['terminal/create', { command: 'echo hidden' }] as const]]),
    ])
    for (let answered = 0; answered < 3; answered += 1)
      await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    const refusals = name === 'Goose' ? 3 : 4
    for (let answered = 0; answered < refusals; answered += 1)
      await harness.answer(await harness.openAsk(session), { outcome: 'reject' })
    const answers = await answersOf(turn)
    expect(answers.filter(({ error }) => error)).toHaveLength(refusals)
    expect(await readFile(path, 'utf8').catch(() => null)).toBe(null)
  })
})
