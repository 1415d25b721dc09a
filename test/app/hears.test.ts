import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readEvent } from '../../src/app/events.ts'
import { updateHeardSessions } from '../../src/app/listener-access.ts'
import { hears } from '../../src/domain/audit/hears.ts'
import { start } from '../../src/domain/audit/cursor.ts'
import { appendEvent, readEvents } from '../../src/domain/audit/store.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { viewerOf, type Actor } from '../../src/domain/user/actor.ts'
import type { AgentGroupId, TokenId, UserId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, newSession, system, until, type Person, type World } from '../world.ts'

describeBoth('what each person can hear', (open) => {
  it('is the same for events read from the log and for live events', async () => {
    await using world = await open()
    const people = [await world.person('Ann'), await world.person('Bea'), await world.person('Cem')]
    const groups = [newId<AgentGroupId>(), newId<AgentGroupId>()]
    const tokens = [newId<TokenId>(), newId<TokenId>()]
    const sessions = await sessionsOf(world, people, tokens)
    await world.do({ type: 'session.delegate', id: sessions[0]!, userId: people[1]!.userId })
    await write(world, people, groups, sessions)

    const actors: Actor[] = [
      system,
      { kind: 'policy', rule: 'x' },
      ...people,
      ...tokens.map((tokenId): Actor => ({ kind: 'agent', userId: people[0]!.userId, tokenId, sessionId: null })),
      { kind: 'agent', userId: people[0]!.userId, tokenId: newId(), sessionId: sessions[1]! },
      { kind: 'person', userId: newId(), scope: 'full' },
    ]
    const { read, flavor } = world.database
    const all = await until(async () => {
      const events = await readEvents(read, flavor, { after: start, limit: 5000, viewer: { sees: 'all' } })
      return events.length >= 400 ? events : null
    })
    for (const actor of actors) {
      const standing = await world.app.read.standing(actor)
      const memberships = actor.kind === 'person' && actor === people[2] ? [[], [groups[0]!], groups] : [[]]
      for (const memberOf of memberships) {
        const viewer = viewerOf({ ...standing, memberOf })
        const extra = new Set(await world.app.read.heardSessions(standing))
        const bySql = await readEvents(read, flavor, { after: start, limit: 5000, viewer })
        const byRule = all.filter((event) => hears(viewer, readEvent(event), extra))
        expect(bySql.map((event) => event.id)).toEqual(byRule.map((event) => event.id))
      }
    }
  })

  it('changes with delegation and with sessions an agent starts, immediately', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const tokenId = newId<TokenId>()
    const agent: Actor = { kind: 'agent', userId: ann.userId, tokenId, sessionId: null }
    const listeners = await Promise.all(
      [bea, agent].map(async (actor) => {
        const standing = await world.app.read.standing(actor)
        return {
          viewer: viewerOf(standing),
          extra: new Set(await world.app.read.heardSessions(standing)),
          types: [] as string[],
        }
      }),
    )
    let last = ''
    using _ = world.app.tail.listen((events) => {
      for (const event of events) {
        for (const { viewer, extra, types } of listeners) {
          updateHeardSessions(viewer, event, extra)
          if (event.sessionId !== null && hears(viewer, event, extra)) types.push(event.type)
        }
        last = event.type
      }
    })
    const session = newSession(ann, { tokenId })
    await world.do({ type: 'session.start', session, active: false, restartOf: null }, agent)
    await world.do({ type: 'session.delegate', id: session.id, userId: bea.userId }, ann)
    await world.do({ type: 'session.activate', id: session.id, reason: null })
    await world.do({ type: 'session.undelegate', id: session.id, userId: bea.userId }, ann)
    await world.do({ type: 'session.complete', id: session.id, reason: null }, ann)
    await world.do({ type: 'security.report', what: 'path_refused', detail: 'end' })
    await until(() => last === 'security.reported')
    expect(listeners[0]?.types).toEqual(['session.delegated', 'session.status_changed'])
    expect(listeners[1]?.types).toEqual([
      'session.started',
      'session.delegated',
      'session.status_changed',
      'session.undelegated',
      'session.status_changed',
    ])
  })
})

async function sessionsOf(world: World, people: readonly Person[], tokens: readonly TokenId[]) {
  const made = people.map((person, i) => newSession(person, { tokenId: tokens[i] ?? null }))
  for (const session of made) await world.do({ type: 'session.start', session, active: true, restartOf: null })
  return made.map((session) => session.id)
}

/** Log lines with every mix of audiences, whether or not a command would write them. */
async function write(
  world: World,
  people: readonly Person[],
  groups: readonly AgentGroupId[],
  sessions: readonly SessionId[],
) {
  const audience = fc.record({
    visibility: fc.constantFrom('public' as const, 'owner' as const, 'admin' as const),
    ownerUserId: fc.constantFrom<UserId | null>(null, ...people.map((person) => person.userId)),
    agentGroupId: fc.constantFrom<AgentGroupId | null>(null, ...groups),
    sessionId: fc.constantFrom<SessionId | null>(null, ...sessions),
    named: fc.subarray(people.map((person) => person.userId)),
  })
  const lines = fc.sample(audience, 400)
  await world.database.write.transaction().execute(async (tx) => {
    for (const line of lines)
      await appendEvent(tx, {
        id: newId(),
        at: '2030-01-01T00:00:00.000Z',
        type: 'ask.expired',
        actor: 'system:test',
        stream: 'test',
        commandKey: null,
        data: { id: newId(), sessionId: line.sessionId, answerers: line.named },
        ...line,
      })
  })
}
