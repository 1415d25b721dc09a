import { describe, expect, it } from 'vitest'
import { promptToolFlags, sitInWorkspace } from '../agents/claude-code-prompt-tool.ts'
import { until } from '../support/until.ts'

/** Claude Code gives up on a tool without progress after 60 seconds; only waiting shows that it does not. */
const beyondMs = 70_000

describe('claude --permission-prompt-tool mcp__signalbox__permission_prompt', () => {
  it('waits for a person longer than Claude Code waits for other tools', async () => {
    await using at = await sitInWorkspace()
    const step = { shell: { command: `touch '${at.path('made.txt')}'` } }
    const run = at.claude(await promptToolFlags(at), step, { say: 'Done.' })
    const ask = await at.openAsk()
    const asked = Date.now()
    await until(() => Date.now() - asked > beyondMs, { seconds: 90 })
    await at.answer(ask, { outcome: 'approve' })
    expect(await run.done).toMatchObject({ code: 0 })
    expect(await at.text('made.txt')).toBe('')
  })
})
