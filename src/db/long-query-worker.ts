// Runs long queries one after another in a separate thread, so that other work is not blocked.
import { parentPort, workerData } from 'node:worker_threads'
import SqliteDatabase from 'better-sqlite3'
import type { QueryRequest, QueryReply } from './long-queries.ts'

const { file } = workerData as { file: string }
const database = new SqliteDatabase(file, { readonly: true })
database.pragma('busy_timeout = 1000')
database.pragma('cache_size = -16000')

parentPort?.on('message', ({ id, sql, parameters }: QueryRequest) =>
  parentPort?.postMessage(answer(id, sql, parameters)),
)

function answer(id: number, sql: string, parameters: readonly unknown[]): QueryReply {
  try {
    return { id, rows: database.prepare<unknown[]>(sql).all(...parameters) }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    return { id, error: { message, code: code ?? '' } }
  }
}
