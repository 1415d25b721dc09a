import { expect, it } from 'vitest'
import { ScheduleCommand, type ScheduleId } from '../../src/domain/schedule/schema.ts'
import { startDeadlines } from '../../src/edges/clock/deadlines.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { scale } from '../support/scale.ts'
import { describeUsual, until, workRepo, type World } from '../world.ts'

/** Every change of the clocks, and 29 February, are in the first eight months. */
const [begin, end] = ['2031-09-15T00:00Z', scale({ test: '2032-05-15T00:00Z', long: '2033-09-15T00:00Z' })].map(
  Date.parse,
) as [number, number]
const days = scale({ test: 243, long: 731 })

/** What each line must and must not have, as instants that a person looked up. */
const lines: readonly { zone: string; cron: string; has?: string[]; lacks?: string[] }[] = [
  // Spring: the first instant after the gap.
  {
    zone: 'Europe/Berlin',
    cron: '30 2 * * *',
    has: ['2032-03-28T01:00'],
    lacks: ['2032-03-28T00:30', '2032-03-28T01:30'],
  },
  { zone: 'America/New_York', cron: '30 2 * * *', has: ['2032-03-14T07:00'], lacks: ['2032-03-14T06:30'] },
  { zone: 'Australia/Lord_Howe', cron: '15 2 * * *', has: ['2031-10-04T15:30'], lacks: ['2031-10-04T15:45'] },
  {
    zone: 'Africa/Cairo',
    cron: '30 0 * * *',
    has: ['2032-04-29T22:00'],
    lacks: ['2032-04-29T21:30', '2032-04-29T22:30'],
  },
  { zone: 'Asia/Kolkata', cron: '30 2 * * *', has: ['2031-10-25T21:00', '2032-03-27T21:00'] },
  // Autumn: the first of the two.
  { zone: 'Europe/Berlin', cron: '15 2 * * *', has: ['2031-10-26T00:15'], lacks: ['2031-10-26T01:15'] },
  { zone: 'America/New_York', cron: '30 1 * * *', has: ['2031-11-02T05:30'], lacks: ['2031-11-02T06:30'] },
  { zone: 'Australia/Lord_Howe', cron: '45 1 * * *', has: ['2032-04-03T14:45'], lacks: ['2032-04-03T15:15'] },
  { zone: 'Africa/Cairo', cron: '30 23 * * *', has: ['2031-10-30T20:30'], lacks: ['2031-10-30T21:30'] },
]
const leapDays: readonly [zone: string, at: string][] = [
  ['Europe/Berlin', '2032-02-29T01:30'],
  ['America/New_York', '2032-02-29T07:30'],
  ['Australia/Lord_Howe', '2032-02-28T15:30'],
  ['Africa/Cairo', '2032-02-29T00:30'],
  ['Asia/Kolkata', '2032-02-28T21:00'],
]

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

const nextOf = async ({ database }: World): Promise<number> => {
  const [first] = await database.read.selectFrom('schedules').select('next_at').orderBy('next_at').limit(1).execute()
  return Date.parse(first?.next_at ?? '')
}

describeUsual('C8 schedules over two years', (open) => {
  it(
    'every due time in five zones comes once, with a clock that is moved from one to the next',
    { timeout: scale({ test: 600_000, long: 2_400_000 }) },
    async () => {
      await using world = await open()
      const ann = await world.person()
      world.clock.advance(begin - world.clock.now())
      const create = async (timeZone: string, cron: string) => {
        const id = newId<ScheduleId>()
        const asked = { prompt: 'Look', cron, timeZone, repoId: workRepo.id }
        await world.do(ScheduleCommand.parse({ type: 'schedule.create', id, ...asked }), ann)
        return id
      }
      const daily: ScheduleId[] = []
      for (const { zone, cron } of lines) daily.push(await create(zone, cron))
      const leap: ScheduleId[] = []
      for (const [zone] of leapDays) leap.push(await create(zone, '30 2 29 2 *'))
      await using _clock = startDeadlines({ app: world.app, clock: world.clock, log: silentLogger, graceMs: 0 })
      for (;;) {
        // All have their next time, and one timer is for the earliest.
        const next = await until(async () => {
          const earliest = await nextOf(world)
          return earliest > world.clock.now() && world.clock.timers().includes(earliest) ? earliest : null
        })
        if (next >= end) break
        world.clock.advance(next - world.clock.now())
      }
      for (const [at, { zone, cron, has = [], lacks = [] }] of lines.entries()) {
        const found = await duesOf(world, daily[at]!)
        const name = `${zone} ${cron}`
        expect([name, found.length]).toEqual([name, days])
        const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
        expect([name, new Set(found.map((due) => day.format(new Date(due)))).size]).toEqual([name, days])
        for (const due of has) expect([name, found]).toEqual([name, expect.arrayContaining([`${due}:00.000Z`])])
        for (const due of lacks) expect([name, found.includes(`${due}:00.000Z`)]).toEqual([name, false])
      }
      for (const [at, [zone, due]] of leapDays.entries())
        expect([zone, await duesOf(world, leap[at]!)]).toEqual([zone, [`${due}:00.000Z`]])
    },
  )
})
