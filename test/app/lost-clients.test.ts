import { expect, it } from 'vitest'
import { startLostClientWatch } from '../../src/edges/clock/lost-client-watch.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { describeBoth, until, type Node, type World } from '../world.ts'

const minute = 60_000
const lostAfterMs = 16 * minute

const watch = (world: World, node: Node, held: Set<SessionId>) =>
  startLostClientWatch({
    app: node.app,
    clock: world.clock,
    log: silentLogger,
    nodeId: node.nodeId,
    lostAfterMs,
    inContact: () => held,
  })

const statusOf = async ({ database }: World, id: SessionId) =>
  (await database.read.selectFrom('sessions').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status

describeBoth('R24 a client that is held by one of two nodes', (open) => {
  it('is not lost to the other node until neither is in contact with it', async () => {
    await using world = await open()
    const ann = await world.person()
    const [held, gone] = [await world.session(ann), await world.session(ann)]
    await world.database.write.updateTable('sessions').set({ client: 'alone' }).execute()
    const other = await world.join()
    const here = new Set([held])
    await using _here = watch(world, world, here)
    await using _there = watch(world, other, new Set())
    /** Minute by minute, waiting for both nodes' checks. */
    const pass = async (minutes: number) => {
      for (let count = 0; count < minutes; count += 1) {
        world.clock.advance(minute)
        await until(() => world.clock.timers().length === 2)
      }
    }
    await pass(18)
    await until(async () => (await statusOf(world, gone)) === 'interrupted')
    expect(await statusOf(world, held)).toBe('active')
    here.clear()
    await pass(10)
    await until(async () => (await statusOf(world, held)) === 'interrupted')
  })
})
