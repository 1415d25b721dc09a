import { expect, it } from 'vitest'
import type { UserId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, system } from '../world.ts'

describeBoth('a command that makes no sense', (open) => {
  it('adding the same identity twice gives a fault or one identity, never an exception', async () => {
    await using world = await open()
    const identities = ['slack:U1', 'slack:U1']
    const command = { type: 'user.create', id: newId<UserId>(), displayName: 'Ann', identities } as const
    const result = await world.app.dispatch({ ...command, identities }, system)
    const links = await world.database.read.selectFrom('user_identities').selectAll().execute()
    expect(links).toHaveLength(result.ok ? 1 : 0)
  })
})
