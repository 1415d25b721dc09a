import { describe, expect, it } from 'vitest'
import { sendingText, composerBlock } from './composer-state.ts'

const session = {
  status: 'active',
  protocolMode: 'acp',
  agentState: null,
  queue: [],
  isolation: 'sandbox',
} satisfies Parameters<typeof composerBlock>[0]

describe('whether a message can be sent', () => {
  it('is true while the session is running, for people who may act on it', () => {
    expect(composerBlock(session, true, 'Ann', false)).toBeNull()
    expect(composerBlock({ ...session, status: 'paused' }, true, 'Ann', false)).toBeNull()
    expect(composerBlock(session, false, 'Ann', false)?.why).toContain('Ann')
  })

  it('requires the machine right if the agent runs without a sandbox', () => {
    const unconfined = { ...session, isolation: 'none' as const }
    expect(composerBlock(unconfined, true, 'Ann', false)?.why).toContain('machine right')
    expect(composerBlock(unconfined, true, 'Ann', true)).toBeNull()
  })

  it('names what helps if not', () => {
    expect(composerBlock({ ...session, status: 'interrupted' }, true, null, true)?.help).toBe('recover')
    for (const status of ['completed', 'cancelled', 'error', 'terminated'] as const)
      expect(composerBlock({ ...session, status }, true, null, true)?.help).toBe('continue')
  })
})

describe('what happens to a message', () => {
  it('depends on what the agent does', () => {
    expect(sendingText(session)).toBe('')
    expect(sendingText({ ...session, status: 'paused' })).toContain('resumed')
    expect(sendingText({ ...session, protocolMode: 'mcp' })).toContain('heartbeat')
  })
})
