import { expect, it } from 'vitest'
import { fakeClock } from '../../../../test/support/fake-clock.ts'
import { iso } from '../../../lib/clock.ts'
import { ok } from '../../../lib/result.ts'
import type { ToolCall } from '../calls/tool-call.ts'
import { heartbeat } from './heartbeat.ts'

const clock = fakeClock()

/** Sends one heartbeat in a session with this stall detection. */
async function beat(stallPaused: boolean, seconds: number | null, stallEnabled = true) {
  const stallPausedUntil = seconds === null ? null : iso(clock.now() + seconds * 1000)
  const steering = { waiting: async () => [], settled: async () => {}, delivered: async () => {} }
  // Only the parts of a call that the tool uses.
  const call = {
    app: { dispatch: async () => ok({}), read: { session: async () => ok({ stallPaused, stallPausedUntil }) } },
    link: { sessionId: 's', actor: { kind: 'agent' } },
    clock,
    signOfLife: { recorded: () => {} },
    onceSent: () => {},
  } as unknown as ToolCall
  const result = await heartbeat({ steering, stallEnabled: () => stallEnabled }).run({}, call)
  return result.ok ? result.value['stall_detection_enabled'] : result.fault
}

it.each<[string, boolean, number | null, boolean]>([
  ['is on', false, null, true],
  ['is paused', true, null, false],
  ['is paused for a time', true, 60, false],
  ['was paused for a time that is over', true, -1, true],
  ['is stopped for a long operation', false, 60, false],
  ['was stopped for a long operation that is over', false, -1, true],
])('a heartbeat reports whether silence would be noticed: stall detection %s', async (_how, paused, until, says) => {
  expect(await beat(paused, until)).toBe(says)
})

it('a heartbeat reports that stall detection is off', async () => {
  expect(await beat(false, null, false)).toBe(false)
})
