import { expect, it } from 'vitest'
import { ScheduleCommand, type ScheduleId } from '../../src/domain/schedule/schema.ts'
import { startDeadlines } from '../../src/edges/clock/deadlines.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { describeUsual, until, workRepo, type World } from '../world.ts'

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Cairo']
const end = Date.parse('2032-01-01T00:00:00Z')

/** Nothing starts runs here, so each due time is one record: the first waits, and the others find it in their way. */
const duesOf = async (world: World, id: ScheduleId) =>
  (
    await world.database.read
      .selectFrom('schedule_runs')
      .select('due_at')
      .where('schedule_id', '=', id)
      .orderBy('due_at')
      .execute()
  ).map(({ due_at: at }) => at)

describeUsual('C8 schedules over two years', (open) => {
  it(
    'every due time in five zones comes once, with a clock that is moved from one to the next',
    { timeout: 120_000 },
    async () => {
      await using world = await open()
      const ann = await world.person()
      const ids = new Map<string, ScheduleId>()
      for (const timeZone of zones) {
        const id = newId<ScheduleId>()
        const asked = { prompt: 'Look', cron: '30 2 * * *', timeZone, repoId: workRepo.id }
        await world.do(ScheduleCommand.parse({ type: 'schedule.create', id, ...asked }), ann)
        ids.set(timeZone, id)
      }
      await using _clock = startDeadlines({ app: world.app, clock: world.clock, log: silentLogger, graceMs: 0 })
      for (;;) {
        // All zones have their next time, and one timer is for the earliest.
        const next = await until(() => world.clock.timers().find((at) => at > world.clock.now()))
        if (next >= end) break
        world.clock.advance(next - world.clock.now())
      }
      for (const [timeZone, id] of ids) {
        const found = await duesOf(world, id)
        expect([timeZone, found.length]).toEqual([timeZone, 730])
        const day = new Intl.DateTimeFormat('sv-SE', { timeZone })
        expect(new Set(found.map((at) => day.format(new Date(at)))).size).toBe(730)
      }
      const berlin = await duesOf(world, ids.get('Europe/Berlin') ?? newId<ScheduleId>())
      // The gap of 31 March 2030, and the double hours of 27 October 2030.
      expect(berlin).toContain('2030-03-31T01:00:00.000Z')
      expect(berlin).not.toContain('2030-03-31T01:30:00.000Z')
      expect(berlin).toContain('2030-10-27T00:30:00.000Z')
      expect(berlin).not.toContain('2030-10-27T01:30:00.000Z')
      const cairo = await duesOf(world, ids.get('Africa/Cairo') ?? newId<ScheduleId>())
      expect(cairo).toContain('2030-05-01T23:30:00.000Z')
    },
  )
})
