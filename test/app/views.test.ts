import type { KyselyPlugin } from 'kysely'
import { expect, it } from 'vitest'
import { createLive } from '../../src/app/live.ts'
import { createReads, type Reads } from '../../src/app/read/reads.ts'
import type { Standing } from '../../src/domain/user/actor.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { describeBoth, type World } from '../world.ts'

/** Reads of the same database that count their queries. */
function counted({ database }: World): { reads: Reads; asked(): number } {
  let asked = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      asked += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const read = database.read.withPlugin(counting)
  const aside = database.aside.withPlugin(counting)
  const reads = createReads(
    { ...database, read, aside },
    createLive(silentLogger),
    () => ({
      adminsMayAnswer: false,
      vouched: [],
    }),
    () => 0,
  )
  return { reads, asked: () => asked }
}

describeBoth('queries behind the views', (open) => {
  it('the inbox takes as many queries for many items as for few', async () => {
    await using world = await open()
    const ann = await world.person()
    const who: Standing = { actor: ann, grants: [], memberOf: [], unknown: false }
    const fill = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const session = await world.session(ann)
        await world.ask(session, { title: `ask ${n}` })
      }
    }
    const look = async () => {
      const { reads, asked } = counted(world)
      const inbox = await reads.inbox(who, world.clock.now())
      return { items: inbox.ok ? inbox.value.items.length : 0, asked: asked() }
    }
    await fill(2)
    const few = await look()
    await fill(30)
    const many = await look()
    expect([few.items, many.items]).toEqual([2, 32])
    expect(many.asked).toBe(few.asked)
    expect(many.asked).toBeLessThanOrEqual(8)
  })

  it('so does a full list of sessions, and a plain one takes no more than before', async () => {
    await using world = await open()
    const ann = await world.person()
    const who: Standing = { actor: ann, grants: [], memberOf: [], unknown: false }
    const page = { limit: 100, offset: 0 }
    const look = async (full: boolean) => {
      const { reads, asked } = counted(world)
      const listed = await reads.sessions(who, page)
      const sessions = listed.ok ? listed.value.sessions : []
      return { sessions: full ? await reads.shownSessions(sessions) : sessions, asked: asked() }
    }
    for (let n = 0; n < 3; n += 1) await world.session(ann)
    const few = await look(true)
    for (let n = 0; n < 20; n += 1) await world.ask(await world.session(ann))
    const many = await look(true)
    expect(many.sessions).toHaveLength(23)
    expect([few.asked, many.asked, (await look(false)).asked]).toEqual([4, 4, 2])
  })
})
