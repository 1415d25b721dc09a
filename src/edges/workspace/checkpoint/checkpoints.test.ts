import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../../../../test/world.ts'
import type { CheckpointId } from '../../../domain/checkpoint/schema.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import { newId } from '../../../lib/id.ts'
import { silentLogger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createCheckpointStore } from './store.ts'

let base = ''
let root = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-service-')))
  root = join(base, 'workspace')
  mkdirSync(root)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const write = (path: string, content: string) => writeFileSync(join(root, path), content)
const read = (path: string) => readFileSync(join(root, path), 'utf8')

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.fault.code}: ${result.fault.message}`)
  return result.value
}

function open(world: World, more: { made?: { path: string; hash: string }[]; onEnd?: () => void } = {}) {
  const ended: SessionId[] = []
  const store = createCheckpointStore({ directory: join(base, 'data', 'checkpoints'), log: silentLogger })
  const checkpoints = createCheckpoints({
    app: world.app,
    store,
    log: silentLogger,
    filesMadeBy: async () => more.made ?? [],
    async endAgent(id) {
      ended.push(id)
      more.onEnd?.()
    },
  })
  return { checkpoints, ended }
}

const agentOf = (userId: Extract<Actor, { kind: 'person' }>['userId'], sessionId: SessionId): Actor => ({
  kind: 'agent',
  userId,
  tokenId: null,
  sessionId,
})

describe('making a checkpoint', () => {
  it('keeps files and the state of the session, for the agent and for its operator', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root, prompt: 'fix it' })
    const { checkpoints } = open(world)
    write('a', 'one')
    const byAgent = await checkpoints.create({ sessionId, label: ' first ', actor: agentOf(owner.userId, sessionId) })
    expect(byAgent).toMatchObject({
      value: { label: 'first', reason: 'tool', fileCount: 1, workspaceRoot: root, sessionState: { prompt: 'fix it' } },
    })
    const byPerson = await checkpoints.create({ sessionId, label: '', actor: owner })
    expect(byPerson).toMatchObject({ value: { label: null, reason: 'person' } })
    const standing = await world.app.read.standing(owner)
    const found = valueOf(await world.app.read.checkpoints(standing, { sessionId }))
    expect(found.map(({ reason }) => reason)).toEqual(['person', 'tool'])
  })

  it('with the same key happens once', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    const { checkpoints } = open(world)
    const first = valueOf(await checkpoints.create({ sessionId, label: 'x', actor: owner, key: 'k' }))
    write('a', 'later')
    expect(valueOf(await checkpoints.create({ sessionId, label: 'x', actor: owner, key: 'k' }))).toEqual(first)
  })

  it('is refused before the disk is touched: to strangers, and without a session', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const stranger = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    const { checkpoints } = open(world)
    expect(await checkpoints.create({ sessionId, label: null, actor: stranger })).toMatchObject({
      fault: { code: 'session_not_found' },
    })
    const other = await world.session(stranger, { workspaceRoot: root })
    expect((await checkpoints.create({ sessionId, label: null, actor: agentOf(stranger.userId, other) })).ok).toBe(
      false,
    )
    expect(() => readFileSync(join(base, 'data'))).toThrow('ENOENT')
  })
})

describe('restoring a checkpoint', () => {
  it('first says what differs, and changes nothing', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    const { checkpoints, ended } = open(world)
    write('a', 'one')
    const { id } = valueOf(await checkpoints.create({ sessionId, label: null, actor: owner }))
    write('a', 'two')
    write('b', 'new')
    const looked = await checkpoints.look(id, owner)
    expect(looked).toMatchObject({ value: { diverged: { modified: ['a'], deleted: [], added: ['b'] } } })
    expect([read('a'), ended]).toEqual(['two', []])
  })

  it('keeps the state before, ends the session and its agent, restores files, and can itself be undone', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    const { checkpoints, ended } = open(world)
    write('a', 'one')
    const { id } = valueOf(await checkpoints.create({ sessionId, label: null, actor: owner }))
    write('a', 'two')
    write('b', 'new')
    const done = valueOf(await checkpoints.restore(id, { removeNew: false, actor: owner }))
    expect(done).toMatchObject({ restored: ['a'], kept: ['b'], failed: [], before: { reason: 'before_restore' } })
    expect([read('a'), read('b'), ended]).toEqual(['one', 'new', [sessionId]])
    const session = valueOf(await world.app.read.session(await world.app.read.standing(owner), sessionId))
    expect(session.status).toBe('terminated')
    const back = valueOf(await checkpoints.restore(done.before.id, { removeNew: false, actor: owner }))
    expect([back.restored, read('a'), ended]).toEqual([['a'], 'two', [sessionId]])
    const { rows } = { rows: (await world.tables())['events'] ?? [] }
    expect(JSON.stringify(rows)).toContain('checkpoint.restored')
  })

  it('keeps what the agent did until it ended', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    write('a', 'one')
    const { checkpoints } = open(world, { onEnd: () => write('a', 'last words') })
    const { id } = valueOf(await checkpoints.create({ sessionId, label: null, actor: owner }))
    const { before } = valueOf(await checkpoints.restore(id, { removeNew: false, actor: owner }))
    expect(read('a')).toBe('one')
    valueOf(await checkpoints.restore(before.id, { removeNew: false, actor: owner }))
    expect(read('a')).toBe('last words')
  })

  it('ends the running session of the same lineage', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    const { checkpoints, ended } = open(world)
    const { id } = valueOf(await checkpoints.create({ sessionId, label: null, actor: owner }))
    const successor = await continueAs(world, owner, sessionId)
    const done = valueOf(await checkpoints.restore(id, { removeNew: false, actor: owner }))
    expect([ended, done.before.sessionId]).toEqual([[successor], successor])
  })

  it('removes, if asked to, only files that approved writes created and nobody changed since', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    const made = ['mine', 'changed'].map((path) => ({ path, hash: sha256('made') }))
    const { checkpoints } = open(world, { made })
    const { id } = valueOf(await checkpoints.create({ sessionId, label: null, actor: owner }))
    write('mine', 'made')
    write('changed', 'by somebody')
    write('other', 'made')
    const done = valueOf(await checkpoints.restore(id, { removeNew: true, actor: owner }))
    expect(done).toMatchObject({ removed: ['mine'], kept: ['changed', 'other'] })
  })

  it('is for the operator: not for the agent, not for strangers, not without an operator', async () => {
    await using world = await openWorld('sqlite')
    const owner = await world.machineUser()
    const sessionId = await world.session(owner, { workspaceRoot: root })
    const { checkpoints, ended } = open(world)
    write('a', 'one')
    const { id } = valueOf(await checkpoints.create({ sessionId, label: null, actor: owner }))
    write('a', 'two')
    const codes = []
    for (const actor of [agentOf(owner.userId, sessionId), await world.machineUser()])
      for (const result of [
        await checkpoints.look(id, actor),
        await checkpoints.restore(id, { removeNew: true, actor }),
      ])
        codes.push(result.ok ? 'done' : result.fault.code)
    const none = await checkpoints.restore(newId<CheckpointId>(), { removeNew: false, actor: owner })
    expect(codes).toEqual(['agents_may_not', 'agents_may_not', 'checkpoint_not_found', 'checkpoint_not_found'])
    expect(none).toMatchObject({ fault: { code: 'checkpoint_not_found' } })
    expect([read('a'), ended]).toEqual(['two', []])
  })
})

async function continueAs(world: World, owner: Actor & { kind: 'person' }, restartOf: SessionId): Promise<SessionId> {
  const { NewSession } = await import('../../../domain/session/schema.ts')
  const { newRandomId } = await import('../../../lib/id.ts')
  const id = newRandomId<SessionId>()
  const session = NewSession.parse({ id, ownerUserId: owner.userId, workspaceRoot: root })
  await world.do({ type: 'session.start', session, active: true, restartOf }, owner)
  return id
}
