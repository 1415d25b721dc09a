import { expect, it } from 'vitest'
import { openWorld } from '../../../test/world.ts'
import type { LoggedEvent } from '../events.ts'
import { newId } from '../../lib/id.ts'
import { actorNamesFor } from './actor-names.ts'

it('shows names of people to people, and never an id', async () => {
  await using world = await openWorld('sqlite')
  const [ann, ben] = [await world.person('Ann'), await world.person('Ben')]
  const by = `user:${ann.userId}`
  const events = [{ data: { by } }] as unknown as LoggedEvent[]
  const seenBy = async (actor: Parameters<typeof world.app.read.standing>[0]) =>
    actorNamesFor(world.app, await world.app.read.standing(actor), events)
  expect((await seenBy(ann))(by)).toBe('you')
  const toBen = await seenBy(ben)
  expect(toBen(by)).toBe('Ann')
  expect(toBen(`user:${newId()}`)).toBe('a person')
  expect(toBen('policy:command:rm a, b')).toBe('the policy (command:rm a, b)')
  expect(toBen('system:clock')).toBe('the clock')
  expect(toBen('system:terminal')).toBe('Signalbox itself')
  const agent = await seenBy({ kind: 'agent', userId: ann.userId, tokenId: null, sessionId: null })
  expect(agent(by)).toBe('a person')
  expect(agent('agent:1')).toBe('an agent')
})
