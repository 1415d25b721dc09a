import { describe, expect, it } from 'vitest'
import { initializeAnswers, recordings } from '../support/acp-recordings.ts'
import { misfitsOf, problems } from '../support/acp-schema.ts'

/** Recorded messages that do not match the protocol's schema, and why they are accepted. A new one fails the test. */
const known: Record<string, string> = {
  'client no/such_method: no such method': 'the recording client asked what no agent knows, to see the refusal',
  'client answer to fs/write_text_file:  must be object': 'the recording client answered null; both agents took it',
}

describe('recorded ACP traffic', () => {
  it.each(recordings.map((one) => [one.name, one] as const))('%s matches the schema', (_name, { agent, frames }) => {
    const misfits = misfitsOf(frames, agent)
    expect(misfits.filter((misfit) => !(misfit in known))).toEqual([])
  })

  it('has no unneeded exception', () => {
    const found = new Set(recordings.flatMap(({ agent, frames }) => misfitsOf(frames, agent)))
    expect(Object.keys(known).filter((misfit) => !found.has(misfit))).toEqual([])
  })

  it('would fail if it did not match', () => {
    const update = { sessionUpdate: 'tool_call', toolCallId: 'a call without a title' }
    expect(problems('session/update', 'Notification', { sessionId: 'one', update })).not.toBe('')
  })

  it.each(Object.entries(initializeAnswers))('%s answers initialize according to the schema', (_agent, answer) => {
    expect(problems('initialize', 'Response', answer)).toBe('')
  })
})
