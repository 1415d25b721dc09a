import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from 'kysely'

export type Asked = { id: number; sql: string; parameters: readonly unknown[] }
export type Told = { id: number; rows: unknown[] } | { id: number; error: { message: string; code: string } }

/** How long one look may take; PostgreSQL ends it by itself, with SQLite nobody waits for it any longer. */
export const longestLookMs = 10_000
/** Who comes when so many wait is refused. */
const mostWaiting = 200
const idleMs = 30_000

export const tookTooLong = 'SIGNALBOX_TOOK_TOO_LONG'
export const tooManyWait = 'SIGNALBOX_TOO_MANY_WAIT'

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

type Waiting = { resolve: (rows: unknown[]) => void; reject: (error: Error) => void }

/** Reads only. SQLite answers in the thread that asks, so what may take long is asked in a thread of its own. */
export function asideDialect(file: string): Dialect {
  const waiting = new Map<number, Waiting>()
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
    const name = import.meta.url.endsWith('.ts') ? './aside-worker.ts' : './aside-worker.js'
    const program = fileURLToPath(new URL(name, import.meta.url))
    const started = new Worker(program, { workerData: { file }, execArgv: [], stdin: false })
    started.unref()
    started.on('message', (told: Told) => {
      const asker = waiting.get(told.id)
      waiting.delete(told.id)
      if (waiting.size === 0) idle = setTimeout(() => void end(), idleMs).unref()
      if ('rows' in told) asker?.resolve(told.rows)
      else asker?.reject(Object.assign(new Error(told.error.message), { code: told.error.code }))
    })
    const gone = (error: Error) => {
      if (worker === started) worker = null
      for (const asker of waiting.values()) asker.reject(error)
      waiting.clear()
    }
    started.on('error', gone)
    started.on('exit', () => worker === started && gone(refusal('SQLITE_IOERR')))
    return started
  }

  function ask(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (waiting.size >= mostWaiting) return Promise.reject(refusal(tooManyWait))
    clearTimeout(idle)
    worker ??= start()
    const id = (last += 1)
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    // The thread keeps nobody from ending; who waits for it does.
    const late = setTimeout(() => reject(refusal(tookTooLong)), longestLookMs)
    waiting.set(id, { resolve, reject })
    worker.postMessage({ id, sql, parameters } satisfies Asked)
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
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: refused,
      commitTransaction: refused,
      rollbackTransaction: refused,
      releaseConnection: async () => {},
      destroy: async () => void (await end()),
    }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}
