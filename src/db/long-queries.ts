import { AsyncLocalStorage } from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'
import { createTurns, type FairTurns } from '../lib/turns.ts'

export type QueryRequest = { id: number; sql: string; parameters: readonly unknown[] }
export type QueryReply = { id: number; rows: unknown[] } | { id: number; error: { message: string; code: string } }

/** The time limit of one query. PostgreSQL cancels it; on SQLite the caller stops waiting. */
export const longestLookMs = 10_000
/** Queries beyond these limits, per caller and in total, are refused. */
const mostEach = 500
const mostWaiting = 5000
const idleMs = 30_000

export const tookTooLong = 'SIGNALBOX_TOOK_TOO_LONG'
export const tooManyWait = 'SIGNALBOX_TOO_MANY_WAIT'

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

/** The caller of a query: each caller has a separate queue, so many queries delay only their own caller. */
export const lookingFor = new AsyncLocalStorage<string>()

const newTurns = (atOnce: number): FairTurns =>
  createTurns({ atOnce, mostEach, mostWaiting, patienceMs: longestLookMs, refusal: () => refusal(tooManyWait) })

const turnOf = (turns: FairTurns): Promise<() => void> => turns.take(lookingFor.getStore() ?? '')

/** The same for a database with several connections: this many queries at once. */
export function inTurns(dialect: Dialect, atOnce: number): Dialect {
  const turns = newTurns(atOnce)
  const taken = new WeakMap<DatabaseConnection, () => void>()
  const fair = (driver: Driver): Driver => ({
    init: () => driver.init(),
    async acquireConnection(...args) {
      const over = await turnOf(turns)
      try {
        const connection = await driver.acquireConnection(...args)
        taken.set(connection, over)
        return connection
      } catch (error) {
        over()
        throw error
      }
    },
    async releaseConnection(connection) {
      // Read before the release: afterwards another query may have the connection.
      const over = taken.get(connection)
      try {
        await driver.releaseConnection(connection)
      } finally {
        over?.()
      }
    },
    beginTransaction: (...args) => driver.beginTransaction(...args),
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
    destroy() {
      turns.close()
      return driver.destroy()
    },
  })
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => fair(dialect.createDriver()),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

type Waiting = {
  resolve: (rows: unknown[]) => void
  reject: (error: Error) => void
  over: () => void
  late: NodeJS.Timeout
}

/** Turns are handed out here; Kysely would put all callers in one queue. */
class ManyAtOnce extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Read-only. SQLite runs in the calling thread, so long queries get a separate thread. */
export function asideDialect(file: string): Dialect {
  const waiting = new Map<number, Waiting>()
  const turns = newTurns(1)
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let last = 0

  function end(): Promise<unknown> {
    clearTimeout(idle)
    const ended = worker?.terminate() ?? Promise.resolve()
    worker = null
    return ended
  }

  function start(): Worker {
    const name = import.meta.url.endsWith('.ts') ? './long-query-worker.ts' : './long-query-worker.js'
    const program = fileURLToPath(new URL(name, import.meta.url))
    const started = new Worker(program, { workerData: { file }, execArgv: [], stdin: false })
    started.unref()
    started.on('message', (told: QueryReply) => {
      const asker = waiting.get(told.id)
      waiting.delete(told.id)
      if (waiting.size === 0) idle = setTimeout(() => void end(), idleMs).unref()
      asker?.over()
      if ('rows' in told) asker?.resolve(told.rows)
      else asker?.reject(Object.assign(new Error(told.error.message), { code: told.error.code }))
    })
    const gone = (error: Error) => {
      if (worker === started) worker = null
      const askers = [...waiting.values()]
      waiting.clear()
      for (const asker of askers) {
        asker.over()
        asker.reject(error)
      }
    }
    started.on('error', gone)
    started.on('exit', () => worker === started && gone(refusal('SQLITE_IOERR')))
    return started
  }

  async function ask(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    // Released when the thread has answered, even if nobody waits any more: until then it is busy.
    const over = await turnOf(turns)
    clearTimeout(idle)
    worker ??= start()
    const id = (last += 1)
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    // The thread does not keep the process alive; this timer does while a caller waits.
    const late = setTimeout(() => reject(refusal(tookTooLong)), longestLookMs)
    waiting.set(id, { resolve, reject, over, late })
    worker.postMessage({ id, sql, parameters } satisfies QueryRequest)
    return promise.finally(() => clearTimeout(late))
  }

  const connection: DatabaseConnection = {
    executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => ({
      rows: (await ask(sql, parameters)) as R[],
    }),
    streamQuery() {
      throw new Error('rows are read in pages here, not streamed')
    },
  }
  const refused = () => Promise.reject(new Error('what is asked aside only reads'))
  return {
    createAdapter: () => new ManyAtOnce(),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: refused,
      commitTransaction: refused,
      rollbackTransaction: refused,
      releaseConnection: async () => {},
      async destroy() {
        turns.close()
        for (const { late } of waiting.values()) clearTimeout(late)
        waiting.clear()
        await end()
      },
    }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}
