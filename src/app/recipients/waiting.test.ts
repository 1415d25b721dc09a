import { expect, it } from 'vitest'
import type { AskId } from '../../domain/ask/id.ts'
import { subjects } from '../../../test/app/samples.ts'
import { describeBoth } from '../../../test/world.ts'

describeBoth('the badge number', (open) => {
  it.each([false, true])('counts the asks a person may answer (admins may answer: %s)', async (adminsMayAnswer) => {
    await using world = await open()
    world.settings = { ...world.settings, adminsMayAnswer }
    const names = ['Ann', 'Bob', 'Eve', 'Adam']
    const [ann, bob, eve, adam] = await Promise.all(names.map((name) => world.person(name)))
    if (!ann || !bob || !eve || !adam) throw new Error('nobody')
    await world.do({ type: 'role.grant', userId: adam.userId, role: 'admin', agentGroupId: null })
    const own = await world.session(ann)
    const lent = await world.session(bob)
    await world.do({ type: 'session.delegate', id: lent, userId: ann.userId }, bob)
    const ids: AskId[] = []
    for (const session of [own, lent]) {
      ids.push(await world.ask(session))
      ids.push(await world.ask(session, { subject: subjects.packages }))
      ids.push(await world.ask(session, { answerers: [eve.userId] }))
      ids.push(await world.ask(session, { answerers: [eve.userId, bob.userId] }))
    }
    ids.push(await world.ask(null, { subject: subjects.unknown_sender }))
    const past = await world.ask(own)
    await world.do({ type: 'ask.cancel', id: past, reason: null })
    const audience = world.app.recipients
    const system = await world.app.read.standing({ kind: 'system', name: 'test' })
    for (const { userId } of [ann, bob, eve, adam]) {
      let count = 0
      for (const id of ids) {
        const ask = await world.app.read.ask(system, id)
        if (ask.ok) count += (await audience.answerers(ask.value, [userId])).length
      }
      expect(await audience.waitingFor(userId)).toBe(count)
      expect(count).toBeGreaterThan(0)
    }
  })
})
