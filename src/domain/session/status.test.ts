import { describe, expect, it } from 'vitest'
import { hasEnded, mayBecome, nextStatuses, sessionStatuses, takesSlot, type SessionStatus } from './status.ts'

// Deliberately written out a second time: each row says, in the order above, which status may come next.
const table: Record<SessionStatus, string> = {
  //            cr ac pa in co ca er te
  created: '     .  x  .  x  .  x  x  x',
  active: '      .  .  x  x  x  x  x  x',
  paused: '      .  x  .  x  x  x  x  x',
  interrupted: ' .  x  .  .  .  x  .  x',
  completed: '   .  .  .  .  .  .  .  .',
  cancelled: '   .  .  .  .  .  .  .  .',
  error: '       .  .  .  .  .  .  .  .',
  terminated: '  .  .  .  .  .  .  .  .',
}

const cells = sessionStatuses.flatMap((from) =>
  sessionStatuses.map((to, column) => ({ from, to, may: table[from].trim().split(/\s+/)[column] === 'x' })),
)

describe('the session state machine', () => {
  it.each(cells)('from $from to $to: $may', ({ from, to, may }) => {
    expect(mayBecome(from, to)).toBe(may)
  })

  it('has ended exactly when nothing can follow', () => {
    expect(sessionStatuses.filter(hasEnded)).toEqual(['completed', 'cancelled', 'error', 'terminated'])
    expect(Object.keys(nextStatuses)).toEqual([...sessionStatuses])
  })

  it('takes a slot while created, active or paused', () => {
    expect(sessionStatuses.filter(takesSlot)).toEqual(['created', 'active', 'paused'])
  })
})
