import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSqlite } from '../../src/db/open.ts'
import { ScheduleCommand } from '../../src/domain/schedule/schema.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { cpuOf } from '../lib/cpu.ts'
import { databaseIn, makeDataDirectory, openApp } from '../lib/data-directory.ts'
import { forInformation, type Line } from '../lib/line.ts'
import { startSignalbox } from '../lib/program.ts'
import { interleaved, sampleOf } from '../lib/sample.ts'

const many = 10_000
const bar = 1
/** What a server does right after its start is over by then. */
const settleMs = 5000

export const schedulesAtRest: Line = {
  name: 'schedules-rest',
  measured: `The CPU time of the whole server while ${many.toLocaleString('en')} schedules in five time zones wait and none is due, in percent of
a core, beside a server without schedules.`,
  async run({ folder, quick }) {
    const [none, full] = [join(folder, 'none'), join(folder, 'full')]
    await makeDataDirectory(none)
    await fill(full, await makeDataDirectory(full))
    const seconds = quick ? 5 : 15
    const share = (home: string) => async () => {
      await using server = await startSignalbox(home)
      await pause(settleMs)
      const [cpu, began] = [cpuOf(server.pid), performance.now()]
      await pause(seconds * 1000)
      return ((cpuOf(server.pid) - cpu) / 1e6 / (performance.now() - began)) * 100
    }
    const shares = await interleaved(quick ? 1 : 3, { none: share(none), full: share(full) })
    const title = `Cost of ${many.toLocaleString('en')} schedules at rest`
    const [ours, peer] = [sampleOf(shares.full), sampleOf(shares.none)]
    const figure = forInformation({ name: 'schedules-rest', title, unit: '% of a core', ours, peer })
    return [{ ...figure, bar: `≤ ${bar} %`, holds: ours.median <= bar }]
  },
}

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Cairo']

/** Due once a year, in a month that is not near. */
async function fill(home: string, userId: UserId): Promise<void> {
  const month = ((new Date().getMonth() + 5) % 12) + 1
  const database = await openSqlite({ file: databaseIn(home), synchronous: 'normal' })
  try {
    await using app = await openApp(database)
    for (let at = 0; at < many; at += 1) {
      const cron = `${at % 60} ${at % 24} ${(at % 28) + 1} ${month} *`
      const asked = { prompt: 'Look around', cron, timeZone: zones[at % zones.length] }
      const command = ScheduleCommand.parse({ type: 'schedule.create', id: newId(), ...asked })
      const made = await app.dispatch(command, { kind: 'person', userId, scope: 'full' })
      if (!made.ok) throw new Error(made.fault.message)
    }
  } finally {
    await database.close()
  }
}
