import { mkdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Ask, SessionDetail, SessionPage } from '../conformance/shapes.ts'
import { until } from '../support/until.ts'
import { sitAtTerminal, type Terminal } from './claude-code-terminal.ts'

const approve = { outcome: 'approve' }

async function onlySession({ server }: Terminal): Promise<SessionDetail> {
  const { sessions } = await server.api().get<SessionPage>('/api/sessions')
  expect(sessions).toHaveLength(1)
  return server.api().get<SessionDetail>(`/api/sessions/${sessions[0]?.id}`)
}

describe('claude with Signalbox’s hooks', () => {
  it('B15 asks here about a command and a file, and acts on the decision', async () => {
    await using at = await sitAtTerminal()
    await at.install()
    const run = at.claude(
      [],
      { say: 'First. ', shell: { command: `touch '${at.path('made.txt')}'` } },
      { write: { path: at.path('wrong.txt'), content: 'wrong\n' } },
      { write: { path: at.path('right.txt'), content: 'right\n' } },
      { say: 'All done.' },
    )
    const command = await at.openAsk()
    expect(command).toMatchObject({ kind: 'command', subject: { command: `touch '${at.path('made.txt')}'` } })
    expect(await at.text('made.txt')).toBeNull()
    await at.answer(command, approve)

    const wrong = await at.openAsk()
    expect(wrong).toMatchObject({ kind: 'diff', title: 'Create wrong.txt', subject: { filePath: 'wrong.txt' } })
    expect(await at.text('made.txt')).toBe('')
    await at.answer(wrong, { outcome: 'reject', reason: 'call it right.txt' })
    await at.answer(await at.openAsk(), approve)

    expect(await run.done).toMatchObject({ code: 0, stdout: 'All done.\n' })
    expect(await at.text('wrong.txt')).toBeNull()
    expect(await at.text('right.txt')).toBe('right\n')
    expect(at.outcomes()[1]).toMatch(/^Rejected in Signalbox by .+: call it right\.txt$/)
    const { status, workspaceRoot, messages } = await onlySession(at)
    expect({ status, workspaceRoot }).toEqual({ status: 'completed', workspaceRoot: at.workspace })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'agent'])
    expect(messages.at(-1)?.content).toMatchObject({ text: 'All done.' })
  })

  it('B15 asks before every use if configured, even about what Claude Code would allow automatically', async () => {
    await using at = await sitAtTerminal()
    await at.install('--every')
    const step = { write: { path: at.path('a.txt'), content: 'a\n' } }
    const run = at.claude(['--permission-mode', 'acceptEdits'], step, { say: 'Done.' })
    await at.answer(await at.openAsk(), { outcome: 'reject', reason: 'not this one' })
    expect(await run.done).toMatchObject({ code: 0 })
    expect(await at.text('a.txt')).toBeNull()
    expect(at.outcomes().join('\n')).toContain('not this one')
  })

  it('B15 shows an edit as the change of the file', async () => {
    await using at = await sitAtTerminal()
    await at.install()
    await writeFile(at.path('a.txt'), 'one\ntwo\n')
    const edit = { path: at.path('a.txt'), old: 'two', new: 'three' }
    const run = at.claude([], { read: { path: at.path('a.txt') } }, { edit }, { say: 'Done.' })
    const ask = await at.openAsk()
    expect(ask).toMatchObject({ title: 'Edit a.txt' })
    expect(JSON.stringify(ask)).toContain(String.raw` one\n-two\n+three\n`)
    await at.answer(ask, approve)
    await run.done
    expect(await at.text('a.txt')).toBe('one\nthree\n')
  })

  it('B15 neither blocks nor allows if no server is running', async () => {
    await using at = await sitAtTerminal()
    await at.install()
    await at.server.kill('SIGTERM')
    const run = at.claude([], { shell: { command: `touch '${at.path('made.txt')}'` } }, { say: 'Done.' })
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(await at.text('made.txt')).toBeNull()
  })

  it('B15 continues with prompts queued during its turn', async () => {
    await using at = await sitAtTerminal()
    await at.install()
    const run = at.claude([], { say: 'one two', gate: { name: 'queued', after: 1 } })
    const session = await until(async () => {
      const { sessions } = await at.server.api().get<SessionPage>('/api/sessions')
      return sessions[0]
    })
    const text = 'FAKE:{"steps":[{"say":"And the docs."}]}'
    await at.server.api().post(`/api/sessions/${session.id}/prompt`, { text })
    at.model.open('queued')
    expect(await run.done).toMatchObject({ code: 0, stdout: 'And the docs.\n' })
    const { messages } = await onlySession(at)
    expect(messages.map(({ role, content }) => [role, content['text']]).slice(1)).toEqual([
      ['agent', 'one two'],
      ['user', text],
      ['agent', 'And the docs.'],
    ])
  })

  it('B15 leaves nothing to decide behind when it is killed', async () => {
    await using at = await sitAtTerminal()
    await at.install()
    const run = at.claude([], { shell: { command: `touch '${at.path('made.txt')}'` } }, { say: 'Done.' })
    const { id } = await at.openAsk()
    run.kill()
    await run.done
    await until(async () => (await at.server.api().get<Ask>(`/api/asks/${id}`)).status !== 'open')
    expect(await at.server.api().get<Ask>(`/api/asks/${id}`)).toMatchObject({ status: 'cancelled' })
    expect(await at.text('made.txt')).toBeNull()
  })

  it('B15 is answered at once by the workspace’s policy', async () => {
    await using at = await sitAtTerminal()
    await at.server.restart('[commands]\nmark = "touch *"\n')
    await at.install()
    await mkdir(at.path('.signalbox'))
    const policy = { enabled: true, commands: ['touch *'], file_patterns: { write: ['docs/**'] } }
    await writeFile(at.path('.signalbox/settings.json'), JSON.stringify(policy))
    expect(await at.server.cli('policy', 'trust', at.workspace)).toMatchObject({ code: 0 })
    const run = at.claude(
      [],
      { shell: { command: 'touch made.txt' } },
      { write: { path: at.path('docs/a.md'), content: 'a\n' } },
      { say: 'Done.' },
    )
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(await at.text('made.txt')).toBe('')
    expect(await at.text('docs/a.md')).toBe('a\n')
    const { asks } = await at.server.api().get<{ asks: Ask[] }>('/api/asks')
    expect(asks.map(({ automatic }) => automatic)).toEqual([true, true])
  })
})
