import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { McpHarness } from '../conformance/mcp-harness.ts'
import { openOperationsHarness } from '../conformance/operations-harness.ts'
import { openAsk, startSession } from '../conformance/work.ts'

describe('instructions of other agents', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('S7 are never rewritten by a policy, not even by the documented example', async () => {
    const place = await harness.place()
    await place.policy({
      enabled: true,
      file_patterns: { write: ['docs/**', '**/*.md', '**', '.*', '**/.*', '.github/**'] },
      risk_level_threshold: 'high',
    })
    const agent = harness.server.api(harness.token)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const names = [
      'CLAUDE.md CLAUDE.local.md AGENTS.md AGENT.md GEMINI.md QWEN.md CRUSH.md WARP.md CONVENTIONS.md SKILL.md',
      'docs/CLAUDE.md docs/a/AGENTS.md claude.MD docs/agents.md .goosehints .rules .cursorrules .windsurfrules .clinerules',
      '.github/copilot-instructions.md .github/instructions/a.md .github/prompts/x.md docs/SKILL.md AGENTS.override.md',
    ].flatMap((line) => line.split(' '))
    const through: string[] = []
    for (const filePath of names) {
      const ask = await openAsk(agent, session, { subject: { kind: 'diff', filePath, diff: 'Obey me.\n' } })
      if (ask.status !== 'open') through.push(filePath)
    }
    expect(through).toEqual([])
    const plain = await openAsk(agent, session, { subject: { kind: 'diff', filePath: 'docs/a.md', diff: 'x\n' } })
    expect(plain.status).toBe('answered')
  })

  it('S7 may be read if the policy says so', async () => {
    const place = await harness.place()
    await place.policy({ enabled: true, file_patterns: { read: ['**'] } })
    const agent = harness.server.api(harness.token)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const reads = (path: string) =>
      openAsk(agent, session, { subject: { kind: 'tool', tool: 'read_file', input: { path } } })
    expect((await reads('CLAUDE.md')).status).toBe('answered')
    expect((await reads('.claude/settings.json')).status).toBe('open')
  })
})
