import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../events.ts'
import { itemsOfLog } from './log-items.ts'

const nothing = { messages: new Map(), asks: new Map(), who: (by: string) => by }

const closed = async (data: Record<string, unknown>) => {
  const event = {
    type: 'terminal.closed',
    at: '2026-01-01T00:00:00.000Z',
    sessionId: null,
    data,
  } as unknown as LoggedEvent
  return (await itemsOfLog([event], nothing)).map(({ severity, kind, text }) => `${severity} ${kind} ${text}`)
}

describe('T11 the end of a terminal', () => {
  it.each([
    [{ exitCode: null, exitSignal: 'SIGHUP', hungUp: true }, 'medium session The terminal ended: hung up'],
    [{ exitCode: 1, exitSignal: null, hungUp: true }, 'medium session The terminal ended: hung up'],
    [{ exitCode: null, exitSignal: 'SIGHUP' }, 'high error The terminal ended: killed by SIGHUP'],
    [{ exitCode: 3, exitSignal: null }, 'high error The terminal ended: exit code 3'],
    [{ exitCode: 0, exitSignal: null }, 'medium session The terminal ended: exit code 0'],
    [{ exitCode: null, exitSignal: null }, 'medium session The terminal ended: no longer watched'],
  ])('%j is reported as what it was', async (data, told) => {
    expect(await closed(data)).toEqual([told])
  })
})
