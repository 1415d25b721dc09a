import { describe, expect, it } from 'vitest'
import { openWorld, type Person, type World } from '../../../test/world.ts'
import type { AskId } from '../../domain/ask/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Actor } from '../../domain/user/actor.ts'
import { silentLogger } from '../../lib/log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { AppliedChange, FileChanges, UndoneChange } from './changes/file-changes.ts'
import { createChangeApplier } from './apply-changes.ts'

const applied: AppliedChange = { filesWritten: [{ path: 'a.txt', bytes: 2 }], forced: false }
const restored: UndoneChange = { restored: [{ path: 'a.txt', outcome: 'restored' }] }
const conflict = fail({ kind: 'conflict', code: 'patch_conflict', message: 'a.txt has changed.' })

type Disk = {
  apply: Result<AppliedChange>
  resume: Result<AppliedChange> | null
  undo: Result<UndoneChange>
  resumeUndo: Result<UndoneChange> | null
  unfinished: string[]
  unfinishedUndos: string[]
}

/** The real core with fake files. */
async function setUp(world: World, more: Partial<Disk> = {}) {
  const disk: Disk = {
    apply: ok(applied),
    resume: null,
    undo: ok(restored),
    resumeUndo: null,
    unfinished: [],
    unfinishedUndos: [],
    ...more,
  }
  const did: string[] = []
  const noted =
    <T>(word: string, value: () => T) =>
    async (): Promise<T> => {
      did.push(word)
      return value()
    }
  const changes: FileChanges = {
    look: async () => ok({ files: [], preview: null }),
    apply: noted('apply', () => disk.apply),
    resume: noted('resume', () => disk.resume),
    unfinished: async () => disk.unfinished,
    settle: noted('settle', () => undefined),
    undo: noted('undo', () => disk.undo),
    resumeUndo: noted('resumeUndo', () => disk.resumeUndo),
    unfinishedUndos: async () => disk.unfinishedUndos,
  }
  const owner = await world.person()
  const sessionId = await world.session(owner)
  const agent: Actor = { kind: 'agent', userId: owner.userId, tokenId: null, sessionId }
  const applying = createChangeApplier({ app: world.app, changes, log: silentLogger, node: 'here' })
  const approved = async (answer: object = { outcome: 'approve', always: false, reason: null }): Promise<AskId> => {
    const askId = await world.ask(sessionId, {
      subject: { kind: 'diff', filePath: 'a.txt', diff: 'x\n', files: [{ path: 'a.txt', hash: 'new_file' }] },
    })
    await world.do({ type: 'ask.answer', id: askId, answer: answer as never }, owner)
    return askId
  }
  const ask = async (id: AskId) => {
    const found = await world.app.read.ask(await world.app.read.standing(owner), id)
    if (!found.ok) throw new Error(found.fault.message)
    return found.value
  }
  const apply = (askId: AskId, key: string | null = null, force = false) =>
    applying.apply({ askId, by: agent, force, key })
  return { disk, did, owner, sessionId, agent, applying, approved, ask, apply }
}

const notesOf = async (world: World, owner: Person, id: SessionId): Promise<string[]> => {
  const found = await world.app.read.sessionDetail(await world.app.read.standing(owner), id)
  return found.ok ? found.value.messages.flatMap(({ content }) => ('text' in content ? [content.text] : [])) : []
}

describe('applying an approved change', () => {
  it('R7 applied: consumed with the files written, then the journal is removed', async () => {
    await using world = await openWorld('sqlite')
    const { did, approved, ask, apply } = await setUp(world)
    const id = await approved()
    expect(await apply(id)).toEqual(ok(applied))
    expect(await ask(id)).toMatchObject({ status: 'consumed', result: { filesWritten: applied.filesWritten } })
    expect(did).toEqual(['apply', 'settle'])
  })

  it('R7 refused by the files: approved again, and can be tried again', async () => {
    await using world = await openWorld('sqlite')
    const { disk, approved, ask, apply } = await setUp(world, { apply: conflict })
    const id = await approved()
    expect(await apply(id)).toMatchObject({ ok: false, fault: { code: 'patch_conflict' } })
    expect(await ask(id)).toMatchObject({ status: 'answered', consumedAt: null })
    disk.apply = ok(applied)
    expect(await apply(id)).toEqual(ok(applied))
  })

  it('R7 two at once: one applies, the other gets its result', async () => {
    await using world = await openWorld('sqlite')
    const { did, approved, apply } = await setUp(world)
    const id = await approved()
    const results = await Promise.all([apply(id), apply(id)])
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    expect(results.find((result) => !result.ok)).toMatchObject({ fault: { code: 'already_consumed' } })
    expect(did.filter((word) => word === 'apply')).toHaveLength(1)
  })

  it('R7 the same call gets its result again; another call learns that it is done', async () => {
    await using world = await openWorld('sqlite')
    const { did, approved, apply } = await setUp(world)
    const id = await approved()
    await apply(id, 'call-1')
    expect(await apply(id, 'call-1')).toMatchObject({ ok: true, value: { filesWritten: applied.filesWritten } })
    expect(await apply(id, 'call-2')).toMatchObject({ ok: false, fault: { code: 'already_consumed' } })
    expect(did).toEqual(['apply', 'settle'])
  })

  it('R7 a rejected or open ask touches no file', async () => {
    await using world = await openWorld('sqlite')
    const { did, approved, apply, sessionId } = await setUp(world)
    const rejected = await approved({ outcome: 'reject', reason: null })
    expect(await apply(rejected)).toMatchObject({ ok: false, fault: { code: 'not_approved' } })
    const open = await world.ask(sessionId, { subject: { kind: 'diff', filePath: 'a', diff: 'x', files: [] } })
    expect(await apply(open)).toMatchObject({ ok: false, fault: { code: 'not_approved' } })
    const command = await world.ask(sessionId)
    expect(await apply(command)).toMatchObject({ ok: false, fault: { code: 'invalid_diff' } })
    expect(did).toEqual([])
  })

  it('R7 force is reported in the session', async () => {
    await using world = await openWorld('sqlite')
    const { owner, sessionId, approved, ask, apply } = await setUp(world, { apply: ok({ ...applied, forced: true }) })
    const id = await approved()
    await apply(id, null, true)
    expect(await ask(id)).toMatchObject({ result: { forced: true } })
    expect((await notesOf(world, owner, sessionId)).join()).toContain('by force')
  })
})

describe('undoing it', () => {
  it('B8 is done once, and reported in the session', async () => {
    await using world = await openWorld('sqlite')
    const { did, owner, sessionId, applying, approved, ask, apply } = await setUp(world)
    const askId = await approved()
    await apply(askId)
    expect(await applying.undo({ askId, by: owner })).toEqual(ok(restored))
    expect((await ask(askId)).undoneAt).not.toBeNull()
    expect((await notesOf(world, owner, sessionId)).join()).toContain('was undone')
    expect(await applying.undo({ askId, by: owner })).toMatchObject({ ok: false, fault: { code: 'nothing_to_undo' } })
    expect(did.filter((word) => word === 'undo')).toHaveLength(1)
  })

  it('B8 R3 is refused to agents and strangers before a file is read', async () => {
    await using world = await openWorld('sqlite')
    const { did, agent, applying, approved, apply } = await setUp(world)
    const askId = await approved()
    await apply(askId)
    for (const by of [agent, await world.person('Sam')]) expect((await applying.undo({ askId, by })).ok).toBe(false)
    expect(did).not.toContain('undo')
  })

  it('B8 a conflict changes nothing, and it can be tried again', async () => {
    await using world = await openWorld('sqlite')
    const { disk, owner, applying, approved, ask, apply } = await setUp(world, { undo: conflict })
    const askId = await approved()
    await apply(askId)
    expect((await applying.undo({ askId, by: owner })).ok).toBe(false)
    expect((await ask(askId)).undoneAt).toBeNull()
    disk.undo = ok(restored)
    expect((await applying.undo({ askId, by: owner })).ok).toBe(true)
  })
})

describe('after a crash', () => {
  const claimed = async (world: World, more: Partial<Disk>) => {
    const all = await setUp(world, more)
    const id = await all.approved()
    await world.do({ type: 'ask.claim', id, node: 'here' }, all.agent)
    return { ...all, id }
  }

  it('R7 a complete journal is rolled forward and consumed', async () => {
    await using world = await openWorld('sqlite')
    const { did, applying, ask, id } = await claimed(world, { resume: ok(applied) })
    await applying.resume()
    expect(await ask(id)).toMatchObject({ status: 'consumed' })
    expect(did).toEqual(['resume', 'settle'])
  })

  it('R7 without a journal nothing was written: back to approved', async () => {
    await using world = await openWorld('sqlite')
    const { applying, ask, id } = await claimed(world, { resume: null })
    await applying.resume()
    expect(await ask(id)).toMatchObject({ status: 'answered' })
  })

  it('R7 a clean refusal by the files goes back to approved', async () => {
    await using world = await openWorld('sqlite')
    const { applying, ask, id } = await claimed(world, { resume: conflict })
    await applying.resume()
    expect(await ask(id)).toMatchObject({ status: 'answered' })
  })

  it('R7 a half-written change stays claimed, and the next attempt finishes it', async () => {
    await using world = await openWorld('sqlite')
    const halfDone = fail({ kind: 'unavailable', code: 'apply_unfinished', message: 'a.txt could not be written.' })
    const { disk, did, apply, applying, ask, id } = await claimed(world, { resume: halfDone })
    await applying.resume()
    expect(await ask(id)).toMatchObject({ status: 'applying' })
    expect(did).not.toContain('settle')
    disk.resume = ok(applied)
    await apply(id)
    expect(await ask(id)).toMatchObject({ status: 'consumed' })
    expect(did).not.toContain('apply')
  })

  it('B8 an interrupted undo is finished and recorded', async () => {
    await using world = await openWorld('sqlite')
    const { disk, did, applying, approved, ask, apply } = await setUp(world, { resumeUndo: ok(restored) })
    const id = await approved()
    await apply(id)
    disk.unfinishedUndos = [id]
    await applying.resume()
    expect((await ask(id)).undoneAt).not.toBeNull()
    expect(did).toEqual(['apply', 'settle', 'resumeUndo', 'settle'])
  })

  it('R7 the journal of a consumed change is removed', async () => {
    await using world = await openWorld('sqlite')
    const { disk, did, applying, approved, apply } = await setUp(world)
    const id = await approved()
    await apply(id)
    disk.unfinished = [id]
    await applying.resume()
    expect(did).toEqual(['apply', 'settle', 'settle'])
  })
})
