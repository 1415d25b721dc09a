import { expect, it } from 'vitest'
import type { Actor } from '../../src/domain/user/actor.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { holderOf } from '../../src/domain/user/store.ts'
import { newId } from '../../src/lib/id.ts'
import { hashOfLinkCode, newLinkCode } from '../../src/lib/link-code.ts'
import { describeBoth } from '../world.ts'

const chat: Actor = { kind: 'system', name: 'chat' }
const later = '2031-01-01T00:00:00.000Z'

describeBoth('codes for identities', (open) => {
  it('a chat gives one out, and the person who enters it gets the identity and its groups', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const group = newId<never>()
    const shell = newId<UserId>()
    await world.do({ type: 'user.create', id: shell, displayName: 'ann', identities: ['slack:U1'] })
    await world.do({
      type: 'agent_group.create',
      id: group,
      name: 'Helpers',
      folder: null,
      agentProvider: null,
      repoId: null,
      workspaceRoot: null,
      agent: null,
      model: null,
    })
    await world.do({ type: 'member.add', userId: shell, agentGroupId: group })
    const [first, second] = [hashOfLinkCode(newLinkCode()), hashOfLinkCode(newLinkCode())]
    await world.do({ type: 'identity.offer', identity: 'slack:U1', codeHash: first, expiresAt: later }, chat)
    await world.do({ type: 'identity.offer', identity: 'slack:U1', codeHash: second, expiresAt: later }, chat)
    const claim = async (codeHash: string, by: Actor) => {
      const done = await world.app.dispatch({ type: 'identity.claim', codeHash }, by)
      return done.ok ? 'done' : done.fault.code
    }
    // Only the last code counts.
    expect(await claim(first, ann)).toBe('code_not_valid')
    expect(await claim(second, { ...ann, scope: 'read' })).toBe('read_only_token')
    expect(await claim(second, ann)).toBe('done')
    expect(await claim(second, bea)).toBe('code_not_valid')
    expect(await holderOf(world.database.read, ['slack:U1'])).toBe(ann.userId)
    const groups = await world.database.read
      .selectFrom('agent_group_members')
      .select('agent_group_id')
      .where('user_id', '=', ann.userId)
      .execute()
    expect(groups).toEqual([{ agent_group_id: group }])
  })

  it('a person makes one, and says it in a chat', async () => {
    await using world = await open()
    const ann = await world.person('Ann')
    const codeHash = hashOfLinkCode(newLinkCode())
    await world.do({ type: 'identity.offer_own', codeHash, expiresAt: later }, ann)
    await world.do({ type: 'identity.claim_from', identity: 'tg:7', codeHash }, chat)
    expect(await holderOf(world.database.read, ['tg:7'])).toBe(ann.userId)
    const again = await world.app.dispatch({ type: 'identity.claim_from', identity: 'tg:8', codeHash }, chat)
    expect(again.ok ? 'done' : again.fault.code).toBe('code_not_valid')
  })

  it('only Signalbox gives codes out for identities, and old ones do not work', async () => {
    await using world = await open()
    const ann = await world.person('Ann')
    await world.do({ type: 'role.grant', userId: ann.userId, role: 'owner', agentGroupId: null })
    const codeHash = hashOfLinkCode('K7QM-2XWD')
    expect(hashOfLinkCode(' k7qm2xwd ')).toBe(codeHash)
    const offer = { type: 'identity.offer' as const, identity: 'slack:U1', codeHash, expiresAt: later }
    const refused = await world.app.dispatch(offer, ann)
    expect(refused.ok ? 'done' : refused.fault.code).toBe('not_for_callers')
    await world.do({ ...offer, expiresAt: '2020-01-01T00:00:00.000Z' }, chat)
    const claimed = await world.app.dispatch({ type: 'identity.claim', codeHash }, ann)
    expect(claimed.ok ? 'done' : claimed.fault.code).toBe('code_not_valid')
  })
})
