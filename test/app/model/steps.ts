import fc from 'fast-check'

export const moves = {
  activate: { to: 'active', from: ['created'], by: 'system' },
  pause: { to: 'paused', from: ['active'], by: 'operator' },
  resume: { to: 'active', from: ['paused'], by: 'operator' },
  complete: { to: 'completed', from: ['active', 'paused'], by: 'operator' },
  cancel: { to: 'cancelled', from: ['created', 'active', 'paused', 'interrupted'], by: 'operator' },
  fail: { to: 'error', from: ['created', 'active', 'paused'], by: 'system' },
  terminate: { to: 'terminated', from: ['created', 'active', 'paused', 'interrupted'], by: 'operator' },
  interrupt: { to: 'interrupted', from: ['created', 'active', 'paused'], by: 'system' },
  recover: { to: 'active', from: ['interrupted'], by: 'operator' },
} as const
export type MoveName = keyof typeof moves

export type Step =
  | { do: 'start'; who: number; protocol: 'mcp' | 'acp' | 'terminal'; active: boolean }
  | { do: 'restart'; who: number; session: number; protocol: 'mcp' | 'acp' }
  | { do: 'move'; who: number; session: number; move: MoveName }
  | { do: 'delegate' | 'undelegate'; who: number; session: number; target: number }
  | { do: 'say'; who: number; session: number }
  | {
      do: 'open'
      session: number
      kind: 'diff' | 'command' | 'prompt' | 'question'
      needed: number
      sole: boolean
      minutes: number
    }
  | { do: 'answer'; who: number; ask: number; outcome: 'approve' | 'reject' | 'continue' | 'reply' }
  | { do: 'withdraw'; who: number; ask: number }
  | { do: 'expire' | 'claim' | 'release' | 'consume' | 'break'; ask: number }
  | { do: 'wait'; minutes: number }
  | { do: 'grant' | 'revoke'; who: number; target: number; role: 'owner' | 'admin' }

/** `who` 0 is Signalbox itself, the others are people; indexes wrap around the existing items. */
const who = fc.integer({ min: 0, max: 4 })
const person = fc.integer({ min: 0, max: 3 })
const index = fc.nat({ max: 7 })
const one = <T extends string>(...names: T[]) => fc.constantFrom(...names)
const minutes = fc.constantFrom(0, 1, 30, 90)

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: one('start'), who, protocol: one('mcp', 'acp', 'terminal'), active: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: one('restart'), who, session: index, protocol: one('mcp', 'acp') }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: one('move'), who, session: index, move: one(...(Object.keys(moves) as MoveName[])) }),
  },
  { weight: 2, arbitrary: fc.record({ do: one('delegate', 'undelegate'), who, session: index, target: person }) },
  { weight: 1, arbitrary: fc.record({ do: one('say'), who, session: index }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: one('open'),
      session: fc.integer({ min: -1, max: 7 }),
      kind: one('diff', 'command', 'prompt', 'question'),
      needed: fc.integer({ min: 1, max: 2 }),
      sole: fc.boolean(),
      minutes,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: one('answer'),
      who,
      ask: index,
      outcome: one('approve', 'reject', 'continue', 'reply'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one('withdraw'), who, ask: index }) },
  { weight: 5, arbitrary: fc.record({ do: one('expire', 'claim', 'release', 'consume', 'break'), ask: index }) },
  { weight: 2, arbitrary: fc.record({ do: one('wait'), minutes }) },
  { weight: 2, arbitrary: fc.record({ do: one('grant', 'revoke'), who, target: person, role: one('owner', 'admin') }) },
)
