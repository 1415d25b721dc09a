import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { migrate, rollback } from '../../src/db/migrate.ts'
import type { EventId } from '../../src/domain/audit/schema.ts'
import type { PushDeviceId } from '../../src/domain/push/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, type World } from '../world.ts'

const at = '2030-01-01T00:00:00.000Z'

async function setUp(world: World) {
  const ann = await world.person()
  const id = newId<PushDeviceId>()
  const device = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' }, name: 'Phone' }
  await world.do({ type: 'push.add_device', id, userId: ann.userId, ...device, loginHash: null }, ann)
  const message = { eventId: newId<EventId>(), type: 'needs_you' as const, at }
  const subject = { kind: 'ask' as const, id: newId<string>(), sessionId: null }
  const where = { sender: 'push', destination: id, lane: 'https://push.example' }
  await world.app.outbox.add([{ ...message, ...where, key: message.eventId, subject }])
  return { ann, id }
}

const items = ({ database }: World) => database.read.selectFrom('outbox').selectAll().execute()

describeBoth('messages waiting for a device', (open) => {
  it('move into the outbox when the schema is upgraded, and back', async () => {
    await using world = await open()
    const { id } = await setUp(world)
    const failed = { status: 'failed', attempts: 3, error: 'no', error_class: 'permanent', settled_at: at } as const
    await world.database.write.updateTable('outbox').set(failed).execute()
    const before = await items(world)
    await rollback(world.database, { to: 14 })
    const sends = await sql<object>`select device_id, status, attempts, error from push_sends`.execute(
      world.database.read,
    )
    expect(sends.rows).toEqual([{ device_id: id, status: 'failed', attempts: 3, error: 'no' }])
    await migrate(world.database, { now: () => at })
    expect(await items(world)).toEqual(before)
  })

  it('are deleted with the device', async () => {
    await using world = await open()
    const { ann, id } = await setUp(world)
    await world.do({ type: 'push.remove_device', id, userId: ann.userId, gone: true })
    expect(await items(world)).toEqual([])
  })
})
