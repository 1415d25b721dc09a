import { describe, expect, it } from 'vitest'
import type { Ask } from '../conformance/shapes.ts'
import { promptToolFlags, sitInWorkspace } from './claude-code-prompt-tool.ts'

const approve = { outcome: 'approve' }

describe('claude --permission-prompt-tool mcp__signalbox__permission_prompt', () => {
  it('B15 asks here about a command and a file, and acts on the decision', async () => {
    await using at = await sitInWorkspace()
    const run = at.claude(
      await promptToolFlags(at),
      { say: 'First. ', shell: { command: `touch '${at.path('made.txt')}'` } },
      { write: { path: at.path('wrong.txt'), content: 'wrong\n' } },
      { write: { path: at.path('right.txt'), content: 'right\n' } },
      { say: 'All done.' },
    )
    const command = await at.openAsk()
    expect(command).toMatchObject({
      kind: 'command',
      subject: { command: `touch '${at.path('made.txt')}'`, cwd: at.workspace },
    })
    await at.answer(command, approve)
    const wrong = await at.openAsk()
    expect(wrong).toMatchObject({ kind: 'diff', title: 'Create wrong.txt' })
    await at.answer(wrong, { outcome: 'reject', reason: 'call it right.txt' })
    await at.answer(await at.openAsk(), approve)
    expect(await run.done).toMatchObject({ code: 0, stdout: 'All done.\n' })
    expect(await at.text('made.txt')).toBe('')
    expect(await at.text('wrong.txt')).toBeNull()
    expect(await at.text('right.txt')).toBe('right\n')
    expect(at.outcomes().join('\n')).toContain('call it right.txt')
  })

  it('B15 does not ask about Signalbox’s own tools', async () => {
    await using at = await sitInWorkspace()
    const call = { name: 'mcp__signalbox__heartbeat', args: { status_message: 'at work' } }
    const run = at.claude(await promptToolFlags(at), { call }, { say: 'Done.' })
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Done.\n' })
    const { asks } = await at.server.api().get<{ asks: Ask[] }>('/api/asks')
    expect(asks).toEqual([])
    expect(at.outcomes().join('\n')).toContain('acknowledged')
  })
})
