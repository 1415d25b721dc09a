import { fail, ok, type Result } from '../../lib/result.ts'

/** Where a list (newest first) continues: the last row's time and id. */
export type PageStart = { createdAt: string; id: string }

export const nextPage = (rows: readonly PageStart[], limit: number): string | null => {
  const last = rows.length === limit ? rows.at(-1) : undefined
  return last ? Buffer.from(`${last.createdAt} ${last.id}`).toString('base64url') : null
}

export function pageStart(cursor: string | undefined): Result<PageStart | undefined> {
  if (cursor === undefined) return ok(undefined)
  const [createdAt, id] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  if (createdAt && id && !Number.isNaN(Date.parse(createdAt)) && /^[0-9a-f-]{36}$/.test(id))
    return ok({ createdAt, id })
  return notCursor(cursor)
}

/** For short lists in an order that is no time: where the next page begins. */
export const nextPosition = (rows: readonly unknown[], limit: number, start: number): string | null =>
  rows.length === limit ? Buffer.from(`@${start + limit}`).toString('base64url') : null

export function positionOf(cursor: string | undefined): Result<number> {
  if (cursor === undefined) return ok(0)
  const [, digits] = /^@(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  return digits === undefined ? notCursor(cursor) : ok(Number(digits))
}

const notCursor = (cursor: string) =>
  fail({
    kind: 'invalid',
    code: 'bad_cursor',
    message: `"${cursor.slice(0, 100)}" is not a cursor.`,
    hint: 'Send `next` exactly as the previous page returned it, or leave it out to start from the beginning.',
  })
