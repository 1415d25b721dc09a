import { describe, expect, it } from 'vitest'
import { sessionState } from '../../../test/support/session-state.ts'
import { newId, newRandomId } from '../../lib/id.ts'
import type { AskId } from '../ask/id.ts'
import type { MessageId } from '../message/schema.ts'
import type { UserId } from '../user/id.ts'
import { decideMove, decideSession, decideStart, type SessionFacts, type SessionState } from './decide.ts'
import { NewSession, type SessionChange, type SessionId } from './schema.ts'
import { mayBecome, sessionStatuses, type SessionStatus } from './status.ts'

const owner = newId<UserId>()
const noteId = newId<MessageId>()
const now = Date.parse('2030-01-01T00:00:10.000Z')
const roomy: SessionFacts = { now, slots: { taken: 1, limit: 3 }, noteId, by: 'user:someone' }
const crowded: SessionFacts = { ...roomy, slots: { taken: 3, limit: 3 } }

const state = (status: SessionStatus, more: Partial<SessionState> = {}): SessionState =>
  sessionState({ ownerUserId: owner, status, lastActivityAt: '2030-01-01T00:00:00.000Z', ...more })

const moves = {
  'session.activate': { to: 'active', from: ['created'] },
  'session.pause': { to: 'paused', from: ['active'] },
  'session.resume': { to: 'active', from: ['paused'] },
  'session.complete': { to: 'completed', from: ['active', 'paused'] },
  'session.cancel': { to: 'cancelled', from: ['created', 'active', 'paused', 'interrupted'] },
  'session.fail': { to: 'error', from: ['created', 'active', 'paused'] },
  'session.terminate': { to: 'terminated', from: ['created', 'active', 'paused', 'interrupted'] },
  'session.interrupt': { to: 'interrupted', from: ['created', 'active', 'paused'] },
  'session.recover': { to: 'active', from: ['interrupted'] },
} as const satisfies Record<string, { to: SessionStatus; from: readonly SessionStatus[] }>
type Move = keyof typeof moves
const moveNames = Object.keys(moves) as Move[]
const cases = moveNames.flatMap((type) => sessionStatuses.map((status) => ({ type, status })))

const typesOf = (changes: readonly SessionChange[]) => changes.map((change) => change.type)

describe('a move', () => {
  it.each(cases)('$type of a session that is $status', ({ type, status }) => {
    const session = state(status, { openAsks: [newId<AskId>()] })
    const allowed: readonly SessionStatus[] = moves[type].from
    const result = decideMove(session, { type, id: session.id, reason: null }, roomy)
    const { to } = moves[type]
    const refused = { fault: { kind: 'conflict', code: 'illegal_transition', details: { status, wanted: to } } }
    const moved = { type: 'session.status_changed', data: { id: session.id, from: status, to } }
    const done = {
      value: expect.arrayContaining([expect.objectContaining({ ...moved, data: expect.objectContaining(moved.data) })]),
    }
    expect(result).toMatchObject(allowed.includes(status) ? done : refused)
    expect(allowed.every((from) => mayBecome(from, to))).toBe(true)
  })

  it.each(moveNames)('%s of an unknown session', (type) => {
    const result = decideMove(undefined, { type, id: newRandomId<SessionId>(), reason: null }, roomy)
    expect(result).toMatchObject({ ok: false, fault: { kind: 'not_found', code: 'session_not_found' } })
  })

  it('to an end first interrupts the open asks, and gives the reason in a message if cancelled or failed', () => {
    const asks = [newId<AskId>(), newId<AskId>()]
    const decided = (type: Move) => {
      const session = state('active', { openAsks: asks })
      const result = decideMove(session, { type, id: session.id, reason: 'enough' }, roomy)
      return result.ok ? result.value : []
    }
    const ended = ['ask.interrupted', 'ask.interrupted', 'session.status_changed']
    expect(typesOf(decided('session.complete'))).toEqual(ended)
    expect(typesOf(decided('session.terminate'))).toEqual(ended)
    expect(typesOf(decided('session.cancel'))).toEqual([...ended, 'message.added'])
    expect(decided('session.fail').at(-1)).toMatchObject({
      data: { id: noteId, role: 'system' },
      body: { type: 'text', text: 'The session ended with an error: enough' },
    })
    expect(typesOf(decided('session.interrupt'))).toEqual(['session.status_changed', 'session.connectivity_changed'])
    expect(typesOf(decided('session.pause'))).toEqual(['session.status_changed'])
  })

  it('that needs a slot is refused without one; recovering needs one, resuming keeps its own', () => {
    const interrupted = state('interrupted')
    const recover = (session: SessionState) =>
      decideMove(session, { type: 'session.recover', id: session.id, reason: null }, crowded)
    expect(recover(interrupted)).toMatchObject({ ok: false, fault: { kind: 'limited', code: 'session_limit' } })
    expect(recover(state('interrupted', { protocolMode: 'terminal' })).ok).toBe(true)
    const paused = state('paused')
    const resumed = decideMove(paused, { type: 'session.resume', id: paused.id, reason: null }, crowded)
    expect(resumed).toMatchObject({ ok: true, value: [{ data: { slots: 3 } }] })
  })

  it('records how many slots are taken afterwards', () => {
    const slots = (status: SessionStatus, type: Move) => {
      const session = state(status)
      const result = decideMove(session, { type, id: session.id, reason: null }, roomy)
      return result.ok ? result.value.find((change) => change.type === 'session.status_changed')?.data.slots : undefined
    }
    expect(slots('active', 'session.pause')).toBe(1)
    expect(slots('active', 'session.complete')).toBe(0)
    expect(slots('active', 'session.interrupt')).toBe(0)
    expect(slots('interrupted', 'session.recover')).toBe(2)
    expect(slots('interrupted', 'session.cancel')).toBe(1)
  })
})

describe('a start', () => {
  const start = (more: Partial<NewSession> = {}, active = true, restartOf: SessionId | null = null) => ({
    type: 'session.start' as const,
    session: NewSession.parse({ id: newRandomId(), ownerUserId: owner, workspaceRoot: '/work', ...more }),
    active,
    restartOf,
  })

  it('creates a session, active at once if the agent is already working', () => {
    const made = decideStart(undefined, undefined, start({ prompt: 'fix it' }), roomy)
    expect(made).toMatchObject({
      ok: true,
      value: [
        { type: 'session.started', data: { ownerUserId: owner, restartOf: null } },
        { type: 'session.status_changed', data: { from: 'created', to: 'active', slots: 2 } },
      ],
    })
    const waiting = decideStart(undefined, undefined, start({}, false), roomy)
    expect(waiting.ok && typesOf(waiting.value)).toEqual(['session.started'])
  })

  it('keeps the prompt out of the log: only its hash is there', () => {
    const made = decideStart(undefined, undefined, start({ prompt: 'a secret plan' }), roomy)
    const data = made.ok ? made.value.map((change) => JSON.stringify(change.data)).join('') : ''
    expect(data).not.toContain('secret')
    expect(data).toMatch(/"promptHash":"[0-9a-f]{64}"/)
  })

  it('is refused if the id is in use, the limit reached, or the predecessor unknown', () => {
    expect(decideStart(state('active'), undefined, start(), roomy)).toMatchObject({
      fault: { kind: 'conflict', code: 'session_already_exists' },
    })
    expect(decideStart(undefined, undefined, start(), crowded)).toMatchObject({
      fault: { kind: 'limited', code: 'session_limit', details: { limit: 3, protocolMode: 'mcp' } },
    })
    expect(decideStart(undefined, undefined, start({}, true, newRandomId<SessionId>()), roomy)).toMatchObject({
      fault: { code: 'session_not_found' },
    })
    expect(decideStart(undefined, undefined, start({ protocolMode: 'terminal' }), crowded).ok).toBe(true)
  })

  it.each(sessionStatuses)('again of a session that is %s', (status) => {
    const old = state(status, { openAsks: [newId<AskId>()] })
    const made = decideStart(undefined, { ...old, liveSuccessor: null, queued: false }, start({}, true, old.id), roomy)
    const types = made.ok ? typesOf(made.value) : []
    const started = ['session.started', 'session.status_changed']
    expect(types).toEqual(
      mayBecome(status, 'terminated') ? ['ask.interrupted', 'session.status_changed', ...started] : started,
    )
  })

  it('again takes over the slot of the session it replaces, but only of the same protocol', () => {
    const old = state('active')
    expect(
      decideStart(undefined, { ...old, liveSuccessor: null, queued: false }, start({}, true, old.id), crowded).ok,
    ).toBe(true)
    const ended = state('completed')
    expect(
      decideStart(undefined, { ...ended, liveSuccessor: null, queued: false }, start({}, true, ended.id), crowded).ok,
    ).toBe(false)
    const other = state('active', { protocolMode: 'acp' })
    expect(
      decideStart(undefined, { ...other, liveSuccessor: null, queued: false }, start({}, true, other.id), crowded).ok,
    ).toBe(false)
  })
})

describe('activity and delegates', () => {
  const decided = (session: SessionState, command: Parameters<typeof decideSession>[1]) => {
    const result = decideSession(session, command, roomy)
    return result.ok ? typesOf(result.value) : [result.fault.code]
  }

  it('activity brings a session online again, unless it has ended', () => {
    const touch = (session: SessionState) => decided(session, { type: 'session.touch', id: session.id, tool: 'read' })
    expect(touch(state('active'))).toEqual(['session.touched'])
    expect(touch(state('active', { connectivityStatus: 'stalled' }))).toEqual([
      'session.touched',
      'alert.recovered',
      'message.added',
      'session.connectivity_changed',
    ])
    expect(touch(state('completed', { connectivityStatus: 'offline' }))).toEqual([])
  })

  it('activity is written at most once a second, unless it names another tool', () => {
    const fresh = { lastActivityAt: '2030-01-01T00:00:09.001Z', lastTool: 'read' }
    const touch = (tool: string | null, more: Partial<SessionState>) => {
      const session = state('active', { ...fresh, ...more })
      return decided(session, { type: 'session.touch', id: session.id, tool })
    }
    expect(touch('read', {})).toEqual([])
    expect(touch(null, {})).toEqual([])
    expect(touch('write', {})).toEqual(['session.touched'])
    expect(touch('read', { lastActivityAt: '2030-01-01T00:00:09.000Z' })).toEqual(['session.touched'])
    expect(touch(null, { lastActivityAt: null })).toEqual(['session.touched'])
    expect(touch(null, { connectivityStatus: 'offline' })).toEqual(['session.connectivity_changed'])
  })

  it('connectivity is written only if it changes', () => {
    const session = state('active')
    const connect = (connectivity: 'online' | 'offline', of = session) =>
      decided(of, { type: 'session.connect', id: of.id, connectivity })
    expect(connect('online')).toEqual([])
    expect(connect('offline')).toEqual(['session.connectivity_changed'])
    expect(connect('offline', state('error'))).toEqual([])
  })

  it('delegating twice or to the owner, or revoking what was not delegated, changes nothing', () => {
    const friend = newId<UserId>()
    const session = state('active', { delegates: [friend] })
    const delegate = (userId: UserId) => decided(session, { type: 'session.delegate', id: session.id, userId })
    const undelegate = (userId: UserId) => decided(session, { type: 'session.undelegate', id: session.id, userId })
    expect(delegate(friend)).toEqual([])
    expect(delegate(owner)).toEqual([])
    expect(delegate(newId())).toEqual(['session.delegated'])
    expect(undelegate(newId())).toEqual([])
    expect(undelegate(friend)).toEqual(['session.undelegated'])
  })
})
