import { describe, expect, it } from 'vitest'
import { newId, newRandomId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import { sessionStatuses } from '../session/status.ts'
import { decideCheckpoint, type CheckpointedSession } from './decide.ts'
import { CheckpointCommand, CheckpointReason, type CheckpointId } from './schema.ts'

const sessionId = newRandomId<SessionId>()
const id = newId<CheckpointId>()
const session = (status: (typeof sessionStatuses)[number] = 'active'): CheckpointedSession => ({
  id: sessionId,
  workspaceRoot: '/w',
  progressSnapshot: [{ label: 'tests', status: 'done' }],
  sessionState: {
    status,
    protocolMode: 'mcp',
    mode: 'remote',
    prompt: 'fix it',
    agent: null,
    lastTool: null,
    queue: [{ text: 'then this', when: 'next' }],
  },
})
const record = (more: object = {}) =>
  CheckpointCommand.parse({
    type: 'checkpoint.record',
    id,
    sessionId,
    label: 'before the refactoring',
    reason: 'tool',
    tree: 'aa',
    restorePoint: 'git:bb',
    fileCount: 3,
    ...more,
  })
const note = (more: object = {}) =>
  CheckpointCommand.parse({
    type: 'checkpoint.note_restored',
    id,
    sessionId,
    before: newId(),
    restored: 1,
    recreated: 2,
    kept: 3,
    removed: 0,
    failed: 0,
    ...more,
  })

describe('a checkpoint', () => {
  it.each(sessionStatuses)('is recorded with the state of its session: %s', (status) => {
    const { workspaceRoot, progressSnapshot, sessionState } = session(status)
    expect(decideCheckpoint(session(status), undefined, record())).toMatchObject({
      value: [{ type: 'checkpoint.recorded', body: { workspaceRoot, progressSnapshot, sessionState, fileCount: 3 } }],
    })
  })

  it('is in the log by its hash, without people’s texts', () => {
    const decided = decideCheckpoint(session(), undefined, record())
    expect(decided.ok && decided.value[0]?.data).toEqual({ id, sessionId, reason: 'tool', tree: 'aa', fileCount: 3 })
  })

  it('is not recorded twice, nor without a session', () => {
    expect(decideCheckpoint(session(), { id, sessionId }, record())).toMatchObject({
      fault: { kind: 'conflict', code: 'checkpoint_exists' },
    })
    expect(decideCheckpoint(undefined, undefined, record())).toMatchObject({ fault: { code: 'session_not_found' } })
  })

  it('has a label of at most 200 characters, or none', () => {
    const labelled = (label: unknown) => CheckpointCommand.safeParse({ ...record(), label }).success
    expect([labelled('x'.repeat(200)), labelled(null), labelled('x'.repeat(201)), labelled('  ')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it.each(CheckpointReason.options)('may be made because of %s', (reason) => {
    expect(decideCheckpoint(session(), undefined, record({ reason })).ok).toBe(true)
  })

  it('is logged with its counts each time it is restored', () => {
    const decided = decideCheckpoint(session('terminated'), { id, sessionId }, note())
    expect(decided).toMatchObject({ value: [{ type: 'checkpoint.restored', data: { id, restored: 1, kept: 3 } }] })
  })

  it('of another session, or an unknown one, can’t be restored', () => {
    const other = { id, sessionId: newRandomId<SessionId>() }
    for (const known of [undefined, other])
      expect(decideCheckpoint(session(), known, note())).toMatchObject({ fault: { code: 'checkpoint_not_found' } })
  })
})
