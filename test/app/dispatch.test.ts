import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { Db } from '../../src/db/open.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, newAsk, newSession, system } from '../world.ts'
import { answers } from './samples.ts'

describeBoth('a command with a key', (open) => {
  it('repeated returns its first result and writes nothing', async () => {
    await using world = await open()
    const ann = await world.person()
    const start = (): Command => ({ type: 'session.start', session: newSession(ann), active: true, restartOf: null })
    const first = await world.do(start(), ann, 'k1', 'a session')
    const before = await world.tables()
    // An edge makes a new id for each try; the first one counts.
    const again = await world.do(start(), ann, 'k1', 'a session')
    expect(again).toEqual({ ...first, repeated: true })
    expect(await world.tables()).toEqual(before)
    expect(first.events.map((event) => event.type)).toEqual(['session.started', 'session.status_changed'])
  })

  it('repeated many times at once runs once, and all get the same result', async () => {
    await using world = await open()
    const ann = await world.person()
    const sessionId = await world.session(ann)
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        world.do({ type: 'ask.open', ask: newAsk(sessionId) }, system, 'once', 'an ask'),
      ),
    )
    expect(new Set(results.map((done) => done.subject)).size).toBe(1)
    expect(results.filter((done) => !done.repeated)).toHaveLength(1)
    expect((await world.tables())['asks']).toHaveLength(1)
  })

  it('is a conflict for another command, and belongs to its sender', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const sessionId = await world.session(ann)
    const pause: Command = { type: 'session.pause', id: sessionId, reason: null }
    await world.do(pause, ann, 'k')
    const before = await world.tables()
    expect(await world.refused({ type: 'session.resume', id: sessionId, reason: null }, ann, 'k')).toMatchObject({
      kind: 'conflict',
      code: 'key_reused',
    })
    expect(await world.refused({ ...pause, reason: 'lunch' }, ann, 'k')).toMatchObject({ code: 'key_reused' })
    expect(await world.tables()).toEqual(before)
    const others = newSession(bea)
    await world.do({ type: 'session.start', session: others, active: true, restartOf: null }, bea, 'k')
  })

  it('that was refused is judged again', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await world.session(ann)
    const resume: Command = { type: 'session.resume', id, reason: null }
    expect(await world.refused(resume, ann, 'k')).toMatchObject({ code: 'illegal_transition' })
    await world.do({ type: 'session.pause', id, reason: null }, ann)
    expect((await world.do(resume, ann, 'k')).repeated).toBe(false)
  })
})

describeBoth('a command that fails midway', (open, kind) => {
  it('leaves no rows and no events, and nobody is notified', async () => {
    await using world = await open()
    const ann = await world.person()
    const heard: string[] = []
    using _ = world.app.tail.listen((events) => void heard.push(...events.map((event) => event.type)))
    const sessionId = await world.session(ann)
    await world.ask(sessionId)
    // Cancelling interrupts the ask, moves the session and adds a message; the last of them fails.
    await breakMessages(world.database.write, kind)
    const before = await world.tables()
    await expect(world.do({ type: 'session.cancel', id: sessionId, reason: null }, ann, 'k')).rejects.toThrow(
      /no messages/,
    )
    expect(await world.tables()).toEqual(before)
    await world.do({ type: 'session.complete', id: sessionId, reason: null }, ann, 'k')
    expect(heard).not.toContain('message.added')
  })

  it('by naming something unknown leaves nothing', async () => {
    await using world = await open()
    const ann = await world.person()
    const before = await world.tables()
    const session = newSession(ann, { repoId: newId() })
    const start = world.do({ type: 'session.start', session, active: true, restartOf: null }, ann)
    await expect(start).rejects.toThrow(/foreign key|repo_not_found|needs_machine/i)
    expect(await world.tables()).toEqual(before)
  })
})

describeBoth('commands of one session', (open) => {
  it('are ordered: of many opposite moves at once each finds the state the previous one left', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await world.session(ann)
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        world.app.dispatch({ type: i % 2 === 0 ? 'session.pause' : 'session.resume', id, reason: null }, ann),
      ),
    )
    const found = await world.app.read.audit(await world.app.read.standing(ann), {
      limit: 1000,
      types: ['session.status_changed'],
    })
    const steps = (found.ok ? found.value : [])
      .toReversed()
      .flatMap((event) => (event.type === 'session.status_changed' ? [[event.data.from, event.data.to]] : []))
    expect(steps.length).toBeGreaterThan(1)
    steps.slice(1).forEach(([from], i) => expect(from).toBe(steps[i]?.[1]))
  })

  it('an answer to an ask of an ended session is told that it was interrupted', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await world.session(ann)
    const ask = await world.ask(id)
    await world.do({ type: 'session.complete', id, reason: null }, ann)
    expect(await world.refused({ type: 'ask.answer', id: ask, answer: answers.approve }, ann)).toMatchObject({
      code: 'ask_interrupted',
    })
  })
})

async function breakMessages(db: Db, kind: 'sqlite' | 'postgres'): Promise<void> {
  const statements =
    kind === 'sqlite'
      ? [`create trigger broken before insert on messages begin select raise(abort, 'no messages'); end`]
      : [
          `create function broken() returns trigger language plpgsql as $$ begin raise exception 'no messages'; end $$`,
          `create trigger broken before insert on messages for each row execute function broken()`,
        ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
