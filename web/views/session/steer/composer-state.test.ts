import { describe, expect, it } from 'vitest'
import { sendingText, composerBlock } from './composer-state.ts'

const session = {
  status: 'active',
  protocolMode: 'acp',
  agentState: null,
  queue: [],
  isolation: 'sandbox',
} satisfies Parameters<typeof composerBlock>[0]

describe('whether something can be said', () => {
  it('is so while the session lives, for who may act on it', () => {
    expect(composerBlock(session, true, 'Ann', false)).toBeNull()
    expect(composerBlock({ ...session, status: 'paused' }, true, 'Ann', false)).toBeNull()
    expect(composerBlock(session, false, 'Ann', false)?.why).toContain('Ann')
  })

  it('needs the machine right where the agent runs without a sandbox', () => {
    const unconfined = { ...session, isolation: 'none' as const }
    expect(composerBlock(unconfined, true, 'Ann', false)?.why).toContain('machine right')
    expect(composerBlock(unconfined, true, 'Ann', true)).toBeNull()
  })

  it('names what helps where it is not', () => {
    expect(composerBlock({ ...session, status: 'interrupted' }, true, null, true)?.help).toBe('recover')
    for (const status of ['completed', 'cancelled', 'error', 'terminated'] as const)
      expect(composerBlock({ ...session, status }, true, null, true)?.help).toBe('continue')
  })
})

describe('what becomes of what is said', () => {
  it('depends on what the agent does', () => {
    expect(sendingText(session)).toBe('')
    expect(sendingText({ ...session, status: 'paused' })).toContain('resumed')
    expect(sendingText({ ...session, protocolMode: 'mcp' })).toContain('heartbeat')
  })
})
