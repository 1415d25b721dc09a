import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import type { AgentGroupId, TokenId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { sha256 } from '../../src/lib/secret.ts'
import { describeBoth, newAsk, newSession, type Person, type World } from '../world.ts'
import { answers, subjects } from './samples.ts'

const later = '2031-01-01T00:00:00.000Z'

async function said(world: World, command: Command, actor: Actor, key?: string): Promise<string> {
  const result = await world.app.dispatch(command, actor, { key })
  return result.ok ? 'done' : result.fault.code
}

const grant = (person: Person, role: 'owner' | 'admin', agentGroupId: AgentGroupId | null = null): Command => ({
  type: 'role.grant',
  userId: person.userId,
  role,
  agentGroupId,
})

describeBoth('nobody gains more rights than they were given', (open) => {
  it('an agent never has its person’s roles, not even through a group', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const group = newId<AgentGroupId>()
    await world.database.write
      .insertInto('agent_groups')
      .values({ id: group, name: 'g', folder: 'g', agent_provider: null, created_at: later })
      .execute()
    await world.do(grant(ann, 'admin', group))
    const agent: Actor = { kind: 'agent', userId: ann.userId, tokenId: newId<TokenId>(), sessionId: null }
    expect(await said(world, { type: 'member.add', userId: bea.userId, agentGroupId: group }, ann)).toBe('done')
    for (const command of [
      { type: 'member.remove', userId: bea.userId, agentGroupId: group },
      grant(bea, 'admin', group),
      { type: 'role.revoke', userId: ann.userId, role: 'admin', agentGroupId: group },
    ] satisfies Command[])
      expect(await said(world, command, agent)).toBe('agents_may_not')
  })

  it('an admin can’t become the owner through identities', async () => {
    await using world = await open()
    const [owner, admin] = [await world.person('Olu'), await world.person('Ada')]
    await world.do(grant(owner, 'owner'))
    await world.do(grant(admin, 'admin'))
    await world.do({ type: 'identity.link', userId: owner.userId, identity: 'slack:UOWNER' })
    await world.do({ type: 'identity.offer_own', codeHash: sha256('c'), expiresAt: later }, admin)
    for (const command of [
      { type: 'identity.link', userId: owner.userId, identity: 'slack:UADMIN' },
      { type: 'identity.unlink', userId: owner.userId, identity: 'slack:UOWNER' },
      { type: 'identity.claim_from', identity: 'slack:UOWNER', codeHash: sha256('c') },
      { type: 'user.rename', id: owner.userId, displayName: 'Nobody' },
    ] satisfies Command[])
      expect(await said(world, command, admin)).toBe('needs_role')
    expect(
      await said(world, { type: 'identity.claim_from', identity: 'slack:UADMIN', codeHash: sha256('c') }, admin),
    ).toBe('done')
  })

  it('a delegate can’t create a token that outlives the delegation', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const session = newSession(ann)
    await world.do({ type: 'session.start', session, active: true, restartOf: null }, ann)
    await world.do({ type: 'session.delegate', id: session.id, userId: bea.userId }, ann)
    const token = (who: Person): Command => ({
      type: 'token.create',
      id: newId(),
      userId: who.userId,
      name: 't',
      scope: 'agent',
      sessionId: session.id,
      hash: sha256(who.userId),
      expiresAt: null,
    })
    expect(await said(world, token(bea), bea)).toBe('not_owner')
    expect(await said(world, token(ann), ann)).toBe('done')
  })

  it('an agent can’t choose who approves its actions', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const tokenId = newId<TokenId>()
    const session = newSession(ann, { tokenId })
    await world.do({ type: 'session.start', session, active: true, restartOf: null }, ann)
    const agent: Actor = { kind: 'agent', userId: ann.userId, tokenId, sessionId: null }
    const ask = (more: Parameters<typeof newAsk>[1]): Command => ({ type: 'ask.open', ask: newAsk(session.id, more) })
    expect(await said(world, ask({ subject: subjects.diff, answerers: [bea.userId] }), agent)).toBe(
      'answerers_do_not_fit',
    )
    expect(await said(world, ask({ subject: subjects.question, answerers: [bea.userId] }), agent)).toBe('done')
    expect(await said(world, ask({ subject: subjects.question, answerers: [newId()] }), agent)).toBe('unknown_person')
    expect(await said(world, ask({ subject: subjects.prompt, needed: 2 }), agent)).toBe('votes_do_not_fit')
  })

  it('two people means two people: no policy counts as one', async () => {
    await using world = await open()
    const session = newSession(await world.person('Ann'))
    await world.do({ type: 'session.start', session, active: true, restartOf: null })
    const id = await world.ask(session.id, { subject: subjects.command, needed: 2 })
    const answer: Command = { type: 'ask.answer', id, answer: answers.approve }
    expect(await said(world, answer, { kind: 'policy', rule: 'x' })).toBe('needs_people')
  })

  it('a key does not help someone who lost the right to ask', async () => {
    await using world = await open()
    const ann = await world.person('Ann')
    await world.do(grant(ann, 'admin'))
    const command: Command = { type: 'user.create', id: newId(), displayName: 'X', identities: [] }
    expect(await said(world, command, ann, 'k')).toBe('done')
    expect(await said(world, command, { ...ann, scope: 'read' }, 'k')).toBe('read_only_token')
    await world.do({ type: 'user.remove', id: ann.userId })
    expect(await said(world, command, ann, 'k')).toBe('not_authorised')
  })

  it('a removed person’s code links no identity, and nothing can be delegated to them', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    await world.do({ type: 'identity.offer_own', codeHash: sha256('c'), expiresAt: later }, bea)
    await world.do({ type: 'user.remove', id: bea.userId })
    const session = newSession(ann)
    await world.do({ type: 'session.start', session, active: true, restartOf: null }, ann)
    const claim: Command = { type: 'identity.claim_from', identity: 'slack:U1', codeHash: sha256('c') }
    expect(await said(world, claim, { kind: 'system', name: 'chat' })).toBe('code_not_valid')
    expect(await said(world, { type: 'session.delegate', id: session.id, userId: bea.userId }, ann)).toBe(
      'user_not_found',
    )
  })
})
