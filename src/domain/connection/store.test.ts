import { expect, it } from 'vitest'
import { describeBoth, type World } from '../../../test/world.ts'
import { newRandomId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import type { StreamEvent } from './records.ts'

const at = (minute: number) => `2030-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`

async function open(world: World, sessionId?: SessionId) {
  const owner = await world.person()
  const id = newRandomId<string>()
  const session = sessionId ?? (await world.session(owner))
  const { userId } = owner
  const initialize = '{"protocolVersion":"2025-11-25"}'
  await world.app.connections.open({ id, sessionId: session, userId, tokenId: null, initialize, createdAt: at(0) })
  return { id, session }
}

const said = (connectionId: string, seq: number, minute: number, streamId = 's'): StreamEvent => ({
  connectionId,
  streamId,
  seq,
  message: `{"seq":${seq}}`,
  at: at(minute),
})

describeBoth('MCP connections', (openWorld) => {
  it('are found, marked as seen and closed once', async () => {
    await using world = await openWorld()
    const { connections } = world.app
    const { id, session } = await open(world)
    await connections.touch([id], at(5))
    await connections.close(id, at(6))
    await connections.close(id, at(7))
    const found = await connections.find(id)
    expect(found).toMatchObject({ id, sessionId: session, lastSeenAt: at(5), closedAt: at(6) })
    expect(await connections.find('nobody')).toBeUndefined()
  })

  it('of a session are those still open', async () => {
    await using world = await openWorld()
    const { connections } = world.app
    const first = await open(world)
    const second = await open(world, first.session)
    await open(world)
    await connections.close(first.id, at(1))
    expect((await connections.openOf(first.session)).map(({ id }) => id)).toEqual([second.id])
  })

  it('keep messages in order, once, and requests until they are answered', async () => {
    await using world = await openWorld()
    const { connections } = world.app
    const { id } = await open(world)
    const events = Array.from({ length: 450 }, (_none, seq) => said(id, seq, 1))
    await connections.appendEvents(events, [])
    await connections.appendEvents([...events.slice(0, 2), said(id, 0, 1, 'other')], [])
    const stream = { connectionId: id, streamId: 's' }
    expect((await connections.eventsFrom(stream, 0)).map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq))
    await connections.appendEvents([], [stream])
    expect((await connections.eventsFrom(stream, 0))[0]?.seq).toBe(1)
    expect((await connections.eventsFrom({ ...stream, streamId: 'other' }, 0)).map(({ seq }) => seq)).toEqual([0])
  })

  it('are deleted with their messages, except those used since', async () => {
    await using world = await openWorld()
    const { connections } = world.app
    const [old, used, talked] = [await open(world), await open(world), await open(world)]
    await connections.touch([used.id], at(9))
    await connections.appendEvents([said(old.id, 1, 1), said(used.id, 1, 1), said(talked.id, 1, 9)], [])
    await connections.forgetBefore(at(5))
    const there = await Promise.all([old, used, talked].map(({ id }) => connections.find(id)))
    expect(there.map((found) => found !== undefined)).toEqual([false, true, true])
    expect(await connections.eventsFrom({ connectionId: used.id, streamId: 's' }, 0)).toEqual([])
    expect(await connections.eventsFrom({ connectionId: talked.id, streamId: 's' }, 0)).toHaveLength(1)
  })
})
