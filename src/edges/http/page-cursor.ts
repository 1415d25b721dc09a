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
  return fail({
    kind: 'invalid',
    code: 'bad_cursor',
    message: `"${cursor.slice(0, 100)}" is not a cursor.`,
    hint: 'Send `next` exactly as the previous page returned it, or leave it out to start with the newest.',
  })
}
