import { describe, expect, it } from 'vitest'
import { sendingWords, silenceOf } from './say-where.ts'

const session = { status: 'active', protocolMode: 'acp', agentState: null, queue: [] } satisfies Parameters<
  typeof silenceOf
>[0]

describe('whether something can be said', () => {
  it('is so while the session lives, for who may act on it', () => {
    expect(silenceOf(session, true, 'Ann')).toBeNull()
    expect(silenceOf({ ...session, status: 'paused' }, true, 'Ann')).toBeNull()
    expect(silenceOf(session, false, 'Ann')?.why).toContain('Ann')
  })

  it('names what helps where it is not', () => {
    expect(silenceOf({ ...session, status: 'interrupted' }, true, null)?.help).toBe('recover')
    for (const status of ['completed', 'cancelled', 'error', 'terminated'] as const)
      expect(silenceOf({ ...session, status }, true, null)?.help).toBe('continue')
  })
})

describe('what becomes of what is said', () => {
  it('depends on what the agent does', () => {
    expect(sendingWords(session)).toBe('')
    expect(sendingWords({ ...session, status: 'paused' })).toContain('resumed')
    expect(sendingWords({ ...session, protocolMode: 'mcp' })).toContain('heartbeat')
  })
})
