// The peer: the recorded statements in raw better-sqlite3, one transaction per command, on the same database.
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { answerCalls, settings } from '../lib/answer-calls.ts'
import { databaseIn } from '../lib/data-directory.ts'
import { pragmasOf } from '../lib/pragmas.ts'
import type { Recorded } from '../lib/record.ts'
import type { Timed } from './ours.ts'

export type PeerRound = { synchronous: 'full' | 'normal'; count: number; warm: number }

const { folder, recording } = settings<{ folder: string; recording: string }>()
const commands = JSON.parse(readFileSync(recording, 'utf8')) as Recorded[][]
const copy = join(folder, 'peer.db')

function open(synchronous: PeerRound['synchronous']) {
  for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  copyFileSync(databaseIn(join(folder, 'base')), copy)
  const connection = new Sqlite(copy)
  connection.pragma('busy_timeout = 50')
  connection.pragma('foreign_keys = ON')
  connection.pragma('cache_size = -16000')
  connection.pragma('journal_mode = WAL')
  connection.pragma(`synchronous = ${synchronous}`)
  return connection
}

function round({ synchronous, count, warm }: PeerRound): Timed {
  const connection = open(synchronous)
  const prepared = new Map<string, Sqlite.Statement<unknown[]>>()
  const run = (statements: readonly Recorded[]) => {
    for (const { sql, parameters, reads } of statements) {
      let statement = prepared.get(sql)
      if (!statement) {
        statement = connection.prepare<unknown[]>(sql)
        prepared.set(sql, statement)
      }
      if (reads) statement.all(...parameters)
      else statement.run(...parameters)
    }
  }
  try {
    const pragmas = pragmasOf(connection)
    for (const statements of commands.slice(0, warm)) run(statements)
    const timed = commands.slice(warm, warm + count)
    const started = performance.now()
    for (const statements of timed) run(statements)
    const perSecond = (timed.length / (performance.now() - started)) * 1000
    return { perSecond, pragmas, events: connection.prepare('select seq from events').all().length }
  } finally {
    connection.close()
  }
}

answerCalls({ round })
