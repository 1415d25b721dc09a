import { describe, expect, it } from 'vitest'
import type { Ask, Token } from '../conformance/shapes.ts'
import { sitAtTerminal, type Terminal } from './claude-code-terminal.ts'

const approve = { outcome: 'approve' }

/** As it is written in docs/claude-code.md, for a server that is reached by its address. */
async function flags({ server }: Terminal): Promise<string[]> {
  const { token } = await server.api().post<Token>('/api/tokens', { name: 'claude', scope: 'agent' })
  const headers = { Authorization: `Bearer ${token}` }
  const config = { mcpServers: { signalbox: { type: 'http', url: `${server.address}/mcp`, headers } } }
  const tool = 'mcp__signalbox__permission_prompt'
  return ['--strict-mcp-config', '--mcp-config', JSON.stringify(config), '--permission-prompt-tool', tool]
}

async function withWorkspace(): Promise<Terminal> {
  const at = await sitAtTerminal()
  await at.server.restart(`workspace_root = ${JSON.stringify(at.workspace)}\n`)
  return at
}

describe('claude --permission-prompt-tool mcp__signalbox__permission_prompt', () => {
  it('asks here for a command and for a file, and goes on with what was decided', async () => {
    await using at = await withWorkspace()
    const run = at.claude(
      await flags(at),
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

  it('bothers nobody with the tools of Signalbox itself', async () => {
    await using at = await withWorkspace()
    const call = { name: 'mcp__signalbox__heartbeat', args: { status_message: 'at work' } }
    const run = at.claude(await flags(at), { call }, { say: 'Done.' })
    expect(await run.done).toMatchObject({ code: 0, stdout: 'Done.\n' })
    const { asks } = await at.server.api().get<{ asks: Ask[] }>('/api/asks')
    expect(asks).toEqual([])
    expect(at.outcomes().join('\n')).toContain('acknowledged')
  })

  it('waits for a person longer than Claude Code waits for other tools', { timeout: 240_000 }, async () => {
    await using at = await withWorkspace()
    const run = at.claude(await flags(at), { shell: { command: `touch '${at.path('made.txt')}'` } }, { say: 'Done.' })
    const ask = await at.openAsk()
    // Its limit for a tool that shows no progress is 60 seconds; there is no other way to see beyond it.
    await new Promise((resolve) => setTimeout(resolve, 70_000))
    await at.answer(ask, approve)
    expect(await run.done).toMatchObject({ code: 0 })
    expect(await at.text('made.txt')).toBe('')
  })
})
