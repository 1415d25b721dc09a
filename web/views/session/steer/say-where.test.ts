import { describe, expect, it } from 'vitest'
import { sendingWords, silenceOf } from './say-where.ts'

const session = {
  status: 'active',
  protocolMode: 'acp',
  agentState: null,
  queue: [],
  isolation: 'sandbox',
} satisfies Parameters<typeof silenceOf>[0]

describe('whether something can be said', () => {
  it('is so while the session lives, for who may act on it', () => {
    expect(silenceOf(session, true, 'Ann', false)).toBeNull()
    expect(silenceOf({ ...session, status: 'paused' }, true, 'Ann', false)).toBeNull()
    expect(silenceOf(session, false, 'Ann', false)?.why).toContain('Ann')
  })

  it('needs the machine right where the agent runs without a sandbox', () => {
    const unconfined = { ...session, isolation: 'none' as const }
    expect(silenceOf(unconfined, true, 'Ann', false)?.why).toContain('machine right')
    expect(silenceOf(unconfined, true, 'Ann', true)).toBeNull()
  })

  it('names what helps where it is not', () => {
    expect(silenceOf({ ...session, status: 'interrupted' }, true, null, true)?.help).toBe('recover')
    for (const status of ['completed', 'cancelled', 'error', 'terminated'] as const)
      expect(silenceOf({ ...session, status }, true, null, true)?.help).toBe('continue')
  })
})

describe('what becomes of what is said', () => {
  it('depends on what the agent does', () => {
    expect(sendingWords(session)).toBe('')
    expect(sendingWords({ ...session, status: 'paused' })).toContain('resumed')
    expect(sendingWords({ ...session, protocolMode: 'mcp' })).toContain('heartbeat')
  })
})
