import type { ListSessionsRequest, ListSessionsResponse } from '@agentclientprotocol/sdk/unstable'
import { listHistories, readHistory } from './history.ts'

const pageSize = 50

/** The conversations on disk, newest first. The cursor is an offset. */
export function listSessions(directory: string, { cwd, cursor }: ListSessionsRequest): ListSessionsResponse {
  const from = Number(cursor ?? 0) || 0
  const all = listHistories(directory).flatMap(({ id, updatedAt }) => {
    const entries = readHistory(directory, id)
    const head = entries?.[0]
    if (!entries || head?.type !== 'session' || (cwd && head.cwd !== cwd)) return []
    const title = entries.find((entry) => entry.type === 'title')?.title
    return [{ sessionId: id, cwd: head.cwd, updatedAt, ...(title === undefined ? {} : { title }) }]
  })
  const end = from + pageSize
  return { sessions: all.slice(from, end), ...(end < all.length ? { nextCursor: String(end) } : {}) }
}
