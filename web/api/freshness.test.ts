import { describe, expect, it } from 'vitest'
import { staleBy, staleByAll } from './freshness.ts'

const heard = (type: string, sessionId: string | null = 's1', data = {}) => ({
  type,
  sessionId: sessionId as never,
  data,
})

describe('what an event makes stale', () => {
  it.each([
    ['ask.opened', ['inbox', 'answers', 'asks s1', 'ask a1', 'sessions', 'session s1']],
    ['alert.raised', ['inbox', 'sessions', 'session s1']],
    ['session.status_changed', ['sessions', 'session s1', 'inbox']],
    ['message.added', ['conversation s1']],
    ['queue.added', ['queue s1']],
    ['checkpoint.recorded', ['checkpoints s1']],
    ['terminal.closed', ['terminals', 'terminal s1']],
    ['policy.proposed', ['rules']],
    ['token.created', ['tokens']],
    ['wiring.added', ['chats', 'destinations']],
    ['instance.stopped', ['instances']],
    ['agent_group.created', ['groups']],
    ['user.renamed', ['people', 'names', 'me', 'inbox', 'sessions']],
    ['repo.renamed', ['repos', 'inbox', 'sessions']],
  ])('%s', (type, keys) => {
    const stale = staleBy(heard(type, 's1', { id: 'a1' })).map((key) => key.join(' '))
    expect(stale).toEqual(expect.arrayContaining(keys))
  })

  it('an ask does not affect the asks of other sessions', () => {
    const keys = staleBy(heard('ask.opened', 's1', { id: 'a1' }))
    expect(keys).not.toContainEqual(['asks'])
    expect(keys).not.toContainEqual(['ask'])
  })

  it('an ask without a session is among all asks', () => {
    expect(staleBy(heard('ask.opened', null, { id: 'a1' }))).toContainEqual(['asks'])
  })

  it.each(['session.delegated', 'session.undelegated', 'role.granted', 'role.revoked', 'member.added', 'user.removed'])(
    '%s makes everything stale: permissions may have changed',
    (type) => expect(staleBy(heard(type))).toEqual([[]]),
  )

  it('is listed once for a batch, always with the log', () => {
    const keys = staleByAll(Array.from({ length: 500 }, () => heard('message.added')))
    expect(keys).toEqual([['conversation', 's1'], ['files', 's1'], ['audit']])
  })
})
