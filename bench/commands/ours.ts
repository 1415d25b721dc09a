// Our side: the same commands through app.dispatch, on a fresh copy of the same database each time.
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../src/app/app.ts'
import { openSqlite, type Database } from '../../src/db/open.ts'
import { logFollower } from '../../src/edges/log/log-follower.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { answerCalls, settings } from '../lib/answer-calls.ts'
import { databaseIn, makeDataDirectory, openApp } from '../lib/data-directory.ts'
import { pragmasOf } from '../lib/pragmas.ts'
import { startRecording, type Recorded } from '../lib/record.ts'
import { sessionIds, sessionStart, unitOfWork, type Said } from './mix.ts'

export type OursRound = {
  synchronous: 'full' | 'normal'
  callers: number
  follower: boolean
  count: number
  warm: number
}
export type OursSettings = { folder: string; sessions: number; units: number }
export type Timed = { perSecond: number; pragmas: string; events: number }

const { folder, sessions, units } = settings<OursSettings>()
const base = databaseIn(join(folder, 'base'))
const copy = join(folder, 'ours.db')

const userId = await makeDataDirectory(join(folder, 'base'))
const ids = sessionIds(sessions)
await within(base, 'normal', async (app) => {
  for (const id of ids) await say(app, sessionStart(userId, id))
})
/** Units of different sessions in turn, so that neighbours never concern the same session. */
const mix: Said[] = Array.from({ length: units }, (_unused, unit) => ids[unit % ids.length] ?? []).flatMap((id) =>
  typeof id === 'string' ? unitOfWork(userId, id) : [],
)

async function say(app: App, { command, actor }: Said): Promise<void> {
  const done = await app.dispatch(command, actor)
  if (!done.ok) throw new Error(`${command.type} was refused: ${done.fault.message}`)
}

type Connection = NonNullable<Database['sqlite']>

async function within<T>(
  file: string,
  synchronous: 'full' | 'normal',
  work: (app: App, sqlite: Connection) => Promise<T>,
): Promise<T> {
  const database = await openSqlite({ file, synchronous })
  try {
    if (!database.sqlite) throw new Error('this bench is about SQLite')
    await using app = await openApp(database)
    return await work(app, database.sqlite)
  } finally {
    await database.close()
  }
}

function freshCopy(): string {
  for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  copyFileSync(base, copy)
  return copy
}

/** Records what app.dispatch runs for every command of the mix, in order. */
async function record(): Promise<string> {
  const commands: Recorded[][] = []
  using recording = startRecording()
  await within(freshCopy(), 'normal', async (app, sqlite) => {
    for (const said of mix) {
      recording.take(sqlite)
      await say(app, said)
      commands.push(oneTransaction(recording.take(sqlite)))
    }
  })
  const file = join(folder, 'recording.json')
  writeFileSync(file, JSON.stringify(commands))
  return file
}

/** Without begin and commit the replay would not be comparable. */
function oneTransaction(statements: Recorded[]): Recorded[] {
  const frame = statements.map(({ sql }) => (/^(begin|commit)\b/i.exec(sql)?.[1] ?? '').toLowerCase())
  if (frame[0] !== 'begin' || frame.at(-1) !== 'commit' || frame.filter(Boolean).length !== 2)
    throw new Error(`a command was not one transaction: ${frame.join(', ')}`)
  return statements
}

type Countable = { prepare(sql: string): { all(): unknown[] } }
const countEvents = (sqlite: Countable): number => sqlite.prepare('select seq from events').all().length

async function round({ synchronous, callers, follower, count, warm }: OursRound): Promise<Timed> {
  return within(freshCopy(), synchronous, async (app, sqlite) => {
    await using stack = new AsyncDisposableStack()
    if (follower) stack.use(app.follow.run(logFollower(silentLogger, () => Promise.resolve())))
    const pragmas = pragmasOf(sqlite)
    for (const said of mix.slice(0, warm)) await say(app, said)
    const timed = mix.slice(warm, warm + count)
    const started = performance.now()
    await Promise.all(shares(timed, callers).map((share) => inTurn(app, share)))
    const perSecond = (timed.length / (performance.now() - started)) * 1000
    await stack.disposeAsync()
    return { perSecond, pragmas, events: countEvents(sqlite) }
  })
}

async function inTurn(app: App, share: readonly Said[]): Promise<void> {
  for (const said of share) await say(app, said)
}

/** Every caller takes whole units: an ask comes before its answer. */
function shares(said: readonly Said[], callers: number): Said[][] {
  const dealt: Said[][] = Array.from({ length: callers }, () => [])
  said.forEach((one, index) => dealt[Math.floor(index / 10) % callers]?.push(one))
  return dealt
}

answerCalls({ record, round })
