import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { readOnly, readOnlyFile } from '../support/broken-disk.ts'
import { errorOf, get, post } from '../support/kill-harness-http.ts'
import { sqliteRows } from '../support/kill-harness-rows.ts'
import { freshHome, startLife, startReady, type ServerLife } from '../support/kill-harness-server.ts'
import { within } from '../support/until.ts'

const newSession = (life: ServerLife) => post(life.socketPath, '/api/sessions', { protocolMode: 'mcp' })
const fileOf = (home: { path: string }) => join(home.path, 'signalbox.db')
const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** A home that was used once and stopped normally. */
async function usedHome(): Promise<ReturnType<typeof freshHome>> {
  const home = freshHome()
  await using life = await startReady({ home: home.path })
  expect((await newSession(life)).status).toBe(201)
  expect(await life.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  return home
}

/** Exits 1 with a message, not with a stack trace. */
async function expectRefusal(home: string, says: RegExp): Promise<string> {
  await using life = await startLife({ home })
  expect(await within(life.exited, 'the end of the server')).toEqual({ code: 1, signal: null })
  const printed = life.printed()
  expect(printed).toMatch(says)
  expect(printed).not.toMatch(/^\s+at /m)
  return printed
}

describe('an unusable SQLite database', () => {
  it('is refused if its directory is read-only', async (context) => {
    using home = await usedHome()
    {
      using _readOnly = readOnly(home.path, context)
      expect(await expectRefusal(home.path, /read-only|permission/i)).toContain(home.path)
    }
    await using life = await startReady({ home: home.path })
    expect((await newSession(life)).status).toBe(201)
  })

  it('is read but not written if its file is read-only', async (context) => {
    using home = await usedHome()
    {
      using _readOnly = readOnlyFile(fileOf(home), context)
      await using life = await startReady({ home: home.path })
      expect((await get(life.socketPath, '/api/sessions')).body['total']).toBe(1)
      const refused = await newSession(life)
      expect([refused.status, errorOf(refused).code]).toEqual([503, 'database_read_only'])
      expect(errorOf(refused).hint).toMatch(/permissions/)
      expect((await get(life.socketPath, '/api/sessions')).status).toBe(200)
    }
    await using life = await startReady({ home: home.path })
    expect((await newSession(life)).status).toBe(201)
    expect(sqliteRows(fileOf(home)).sessions).toHaveLength(2)
  })

  it('prints no login link that does not work', async (context) => {
    using home = await usedHome()
    using _readOnly = readOnlyFile(fileOf(home), context)
    await using life = await startReady({ home: home.path })
    await life.kill('SIGTERM')
    expect(life.printed()).not.toContain('/login?code=')
  })

  it('is refused and left untouched if its schema is newer', async () => {
    using home = await usedHome()
    const database = new SqliteDatabase(fileOf(home))
    database.exec(
      `insert into schema_version (version, name, applied) values (99, 'later', '2030-01-01T00:00:00.000Z')`,
    )
    database.close()
    const before = hashOf(fileOf(home))
    const printed = await expectRefusal(home.path, /schema 99/)
    expect(printed).toMatch(/newer Signalbox|backup/)
    expect(hashOf(fileOf(home))).toBe(before)
  })

  it.each([
    ['is not a database at all', 0, 4096],
    ['is damaged after its first page', 4096, 200_000],
  ])('is refused and left untouched if it %s', async (_what, from, length) => {
    using home = await usedHome()
    const file = openSync(fileOf(home), 'r+')
    writeSync(file, Buffer.alloc(Math.min(length, readFileSync(fileOf(home)).length - from), 0xa5), 0, undefined, from)
    closeSync(file)
    const before = hashOf(fileOf(home))
    const printed = await expectRefusal(home.path, /database/i)
    expect(printed).toMatch(/not a database|malformed|damaged|corrupt/i)
    expect(printed).toContain(fileOf(home))
    expect(hashOf(fileOf(home))).toBe(before)
  })

  it('locked for long by another program answers 503 while others are served, and continues afterwards', async () => {
    using home = await usedHome()
    await using life = await startReady({ home: home.path })
    const other = new SqliteDatabase(fileOf(home))
    other.exec('begin immediate')
    const write = newSession(life)
    write.catch(() => undefined)
    const asked = performance.now()
    const reads = await within(
      Promise.all([get(life.socketPath, '/healthz'), get(life.socketPath, '/api/sessions')]),
      'an answer to those who only read',
      3,
    )
    expect(reads.map((reply) => reply.status)).toEqual([200, 200])
    const refused = await within(write, 'an answer to the one who writes', 15)
    expect([refused.status, errorOf(refused).code]).toEqual([503, 'database_unavailable'])
    expect(errorOf(refused).message).toMatch(/Another program/)
    expect(performance.now() - asked).toBeGreaterThan(1000)
    other.exec('rollback')
    other.close()
    expect((await newSession(life)).status).toBe(201)
    expect(sqliteRows(fileOf(home)).sessions).toHaveLength(2)
  })

  it('locked by another program is refused at startup with a clear message', async () => {
    using home = await usedHome()
    const other = new SqliteDatabase(fileOf(home))
    other.pragma('locking_mode = EXCLUSIVE')
    other.exec("begin exclusive; insert into retention_pass values ('1')")
    try {
      await expectRefusal(home.path, /Another program holds the database|locked/)
    } finally {
      other.exec('rollback')
      other.close()
    }
  })
})
