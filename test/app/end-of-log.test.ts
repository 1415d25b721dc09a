import { expect, it } from 'vitest'
import { comparePlaces } from '../../src/domain/audit/cursor.ts'
import { describeBoth } from '../world.ts'

describeBoth('the end of the log', (open) => {
  it('B9 is past every event and every place a server has reached', async () => {
    await using world = await open()
    const isAt = async (place: { tx: number; seq: number } | null) =>
      place !== null && comparePlaces(place, await world.app.read.endOfLog()) <= 0
    expect(await isAt(world.app.tail.position())).toBe(true)
    const owner = await world.person()
    await world.session(owner)
    expect(await isAt(await world.app.read.newestPlace())).toBe(true)
    // A later one is past the last event, and has seen none.
    await using later = await world.join()
    expect(await isAt(later.app.tail.position())).toBe(true)
    const { tx, seq } = await world.app.read.endOfLog()
    expect(await isAt({ tx: tx + 1000, seq })).toBe(false)
  })
})
