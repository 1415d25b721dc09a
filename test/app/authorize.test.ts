import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { AskId } from '../../src/domain/ask/schema.ts'
import type { SessionId } from '../../src/domain/session/schema.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import type { TokenId, UserId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { sha256 } from '../../src/lib/secret.ts'
import { describeBoth, newAsk, newSession, openWorld, type Person, type World } from '../world.ts'
import { answers } from './samples.ts'

type Cast = { owner: Person; admin: Person; ann: Person; bea: Person; session: SessionId; agent: Actor; ask: AskId }

async function cast(world: World): Promise<Cast> {
  const [owner, admin, ann, bea] = [
    await world.person('Olu'),
    await world.person('Ada'),
    await world.person(),
    await world.person('Bea'),
  ]
  await world.do({ type: 'role.grant', userId: owner.userId, role: 'owner', agentGroupId: null })
  await world.do({ type: 'role.grant', userId: admin.userId, role: 'admin', agentGroupId: null })
  const tokenId = newId<TokenId>()
  const session = newSession(ann, { tokenId })
  await world.do({ type: 'session.start', session, active: true, restartOf: null }, ann)
  const agent: Actor = { kind: 'agent', userId: ann.userId, tokenId, sessionId: null }
  return { owner, admin, ann, bea, session: session.id, agent, ask: await world.ask(session.id) }
}

/** Changes nothing: only who would be refused, and why. */
async function said(world: World, command: Command, actor: Actor): Promise<string> {
  const before = JSON.stringify(await world.tables())
  const result = await world.app.dispatch(command, actor)
  if (result.ok) return 'done'
  expect(JSON.stringify(await world.tables())).toBe(before)
  return result.fault.code
}

const later = '2031-01-01T00:00:00.000Z'
const administrative = (userId: UserId): Command[] => [
  { type: 'role.grant', userId, role: 'admin', agentGroupId: null },
  { type: 'role.revoke', userId, role: 'admin', agentGroupId: null },
  { type: 'user.create', id: newId(), displayName: 'X', identities: [] },
  { type: 'user.rename', id: userId, displayName: 'X' },
  { type: 'user.remove', id: userId },
  { type: 'identity.link', userId, identity: 'slack:U1' },
  { type: 'identity.unlink', userId, identity: 'slack:U1' },
  { type: 'identity.offer', identity: 'slack:U1', codeHash: sha256('c'), expiresAt: later },
  { type: 'identity.claim', codeHash: sha256('c') },
  { type: 'identity.offer_own', codeHash: sha256('c'), expiresAt: later },
  { type: 'identity.claim_from', identity: 'slack:U1', codeHash: sha256('c') },
  { type: 'member.add', userId, agentGroupId: newId() },
  { type: 'member.remove', userId, agentGroupId: newId() },
  {
    type: 'token.create',
    id: newId(),
    userId,
    name: 't',
    scope: 'full',
    sessionId: null,
    hash: sha256('t'),
    expiresAt: null,
  },
  { type: 'login.offer', userId, linkHash: sha256('l'), expiresAt: later },
  {
    type: 'login.redeem',
    linkHash: sha256('l'),
    cookieHash: sha256('c'),
    keyHash: sha256('k'),
    expiresAt: later,
    signedInAs: null,
  },
  { type: 'repo.register', id: newId(), name: 'r', path: '/r' },
  { type: 'security.report', what: 'login_refused', detail: 'x' },
]

describeBoth('an agent', (open) => {
  it('never answers, never administers, and acts only on its own session', async () => {
    await using world = await open()
    const { ann, bea, agent, ask, session } = await cast(world)
    expect(await said(world, { type: 'ask.answer', id: ask, answer: answers.approve }, agent)).toBe(
      'agents_never_answer',
    )
    for (const userId of [ann.userId, bea.userId])
      for (const command of administrative(userId))
        expect([command.type, await said(world, command, agent)]).toEqual([
          command.type,
          expect.stringMatching(/^(agents_may_not|not_for_callers|not_yourself)$/),
        ])
    const other = await world.session(bea)
    const theirs = await world.ask(other)
    expect(await said(world, { type: 'ask.open', ask: newAsk(other) }, agent)).toBe('session_not_found')
    expect(await said(world, { type: 'session.complete', id: other, reason: null }, agent)).toBe('session_not_found')
    expect(await said(world, { type: 'ask.cancel', id: theirs, reason: null }, agent)).toMatch(/_not_found$/)
    expect(await said(world, { type: 'session.delegate', id: session, userId: bea.userId }, agent)).toBe(
      'agents_may_not',
    )
    expect(await said(world, { type: 'session.cancel', id: session, reason: null }, agent)).toBe('agents_may_not')
    expect(await said(world, { type: 'ask.open', ask: newAsk(session) }, agent)).toBe('done')
    expect(await said(world, { type: 'session.complete', id: session, reason: null }, agent)).toBe('done')
  })

  it('bound to one session starts no other', async () => {
    await using world = await open()
    const { ann, session } = await cast(world)
    const agent: Actor = { kind: 'agent', userId: ann.userId, tokenId: newId(), sessionId: session }
    const start: Command = { type: 'session.start', session: newSession(ann), active: true, restartOf: null }
    expect(await said(world, start, agent)).toBe('token_of_one_session')
  })
})

describeBoth('a session and its asks', (open) => {
  it('are for the owner and delegates; an admin is told so, a stranger learns nothing', async () => {
    await using world = await open()
    const { admin, ann, bea, session, ask } = await cast(world)
    const answer: Command = { type: 'ask.answer', id: ask, answer: answers.approve }
    const pause: Command = { type: 'session.pause', id: session, reason: null }
    expect([await said(world, pause, admin), await said(world, answer, admin)]).toEqual(['not_owner', 'not_owner'])
    expect([await said(world, pause, bea), await said(world, answer, bea)]).toEqual([
      'session_not_found',
      'ask_not_found',
    ])
    await world.do({ type: 'session.delegate', id: session, userId: bea.userId }, ann)
    expect([await said(world, pause, bea), await said(world, answer, bea)]).toEqual(['done', 'done'])
    await world.do({ type: 'session.undelegate', id: session, userId: bea.userId }, ann)
    expect(await said(world, { type: 'session.resume', id: session, reason: null }, bea)).toBe('session_not_found')
    world.settings = { ...world.settings, adminsMayAnswer: true }
    const second = await world.ask(session)
    expect(await said(world, { ...answer, id: second }, admin)).toBe('done')
  })

  it('an ask that names its answerers is only for them, not even for the session’s owner', async () => {
    await using world = await open()
    const { owner, ann, bea, session } = await cast(world)
    const id = await world.ask(session, { answerers: [bea.userId] })
    const answer: Command = { type: 'ask.answer', id, answer: answers.approve }
    expect(await said(world, answer, ann)).toBe('not_an_answerer')
    expect(await said(world, answer, owner)).toBe('not_an_answerer')
    expect(await said(world, answer, await world.person('Cem'))).toBe('ask_not_found')
    expect(await said(world, answer, bea)).toBe('done')
  })

  it('a read token changes nothing, and a removed person has no access', async () => {
    await using world = await open()
    const { ann, bea, session } = await cast(world)
    const pause: Command = { type: 'session.pause', id: session, reason: null }
    expect(await said(world, pause, { ...ann, scope: 'read' })).toBe('read_only_token')
    await world.do({ type: 'user.remove', id: bea.userId })
    const start: Command = { type: 'session.start', session: newSession(bea), active: true, restartOf: null }
    expect(await said(world, start, bea)).toBe('not_authorised')
    expect(await said(world, start, ann)).toBe('not_authorised')
  })
})

describeBoth('an ask without a session', (open) => {
  const finish: ((id: AskId) => Command)[] = [
    (id) => ({ type: 'ask.cancel', id, reason: null }),
    (id) => ({ type: 'ask.claim', id }),
    (id) => ({ type: 'ask.release', id, reason: null }),
    (id) => ({ type: 'ask.consume', id }),
    (id) => ({ type: 'ask.fail', id, reason: null }),
  ]

  it('is answered by admins', async () => {
    await using world = await open()
    const { admin, ann, agent } = await cast(world)
    const id = await world.ask(null)
    const answer: Command = { type: 'ask.answer', id, answer: answers.approve }
    expect([await said(world, answer, ann), await said(world, answer, agent)]).toEqual([
      'ask_not_found',
      'agents_never_answer',
    ])
    expect(await said(world, answer, admin)).toBe('done')
  })

  it('is neither withdrawn nor applied by people without a role, nor by agents', async () => {
    await using world = await open()
    const { ann, agent } = await cast(world)
    const id = await world.ask(null)
    for (const command of finish)
      for (const actor of [ann, agent]) {
        const result = await world.app.dispatch(command(id), actor)
        expect([command(id).type, actor.kind, result.ok ? 'done' : result.fault.kind]).toEqual([
          command(id).type,
          actor.kind,
          expect.stringMatching(/^(forbidden|not_found)$/),
        ])
      }
  })
})

it('an unknown ask and an ask the viewer may not see are refused the same way', async () => {
  await using world = await openWorld('sqlite')
  const { bea, ask } = await cast(world)
  for (const type of ['ask.cancel', 'ask.claim', 'ask.consume'] as const) {
    const seen = await said(world, { type, id: ask, reason: null } as Command, bea)
    const unknown = await said(world, { type, id: newId(), reason: null } as Command, bea)
    expect([type, seen]).toEqual([type, unknown])
  }
})
