import { sql } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { UserId } from '../user/id.ts'
import type { AttachmentChange, AttachmentId, AttachmentInfo } from './schema.ts'

export type LoadedAttachment = AttachmentInfo & { readonly ownerUserId: UserId; readonly sha256: string }

export async function loadAttachments(db: Executor, ids: readonly AttachmentId[]): Promise<LoadedAttachment[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('attachments').selectAll().where('id', 'in', ids).execute()
  return rows.map((row) => ({
    id: row.id,
    ownerUserId: row.owner_user_id,
    name: row.name,
    mimeType: row.mime_type,
    size: row.size,
    sha256: row.sha256,
  }))
}

/** In base64; undefined if the file is gone. */
export async function contentOf(db: Executor, id: AttachmentId): Promise<string | undefined> {
  const row = await db
    .selectFrom('attachments')
    .innerJoin('attachment_contents', 'attachment_contents.sha256', 'attachments.sha256')
    .select('attachment_contents.content')
    .where('attachments.id', '=', id)
    .executeTakeFirst()
  return row?.content
}

export async function isInSession(db: Executor, id: AttachmentId, sessionId: SessionId): Promise<boolean> {
  const row = await db
    .selectFrom('queue_attachments')
    .innerJoin('queue_items', 'queue_items.id', 'queue_attachments.item_id')
    .select('queue_items.id')
    .where('queue_attachments.attachment_id', '=', id)
    .where('queue_items.session_id', '=', sessionId)
    .executeTakeFirst()
  return row !== undefined
}

const isUnsent = sql<boolean>`not exists (select 1 from queue_attachments where attachment_id = attachments.id)`

export async function unsentBytes(db: Executor, owner: UserId): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .select((eb) => eb.fn.sum<number | string | null>('size').as('bytes'))
    .where('owner_user_id', '=', owner)
    .where(isUnsent)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

export async function projectAttachment(tx: Tx, { data, body }: AttachmentChange, at: string): Promise<void> {
  const { id, ownerUserId, name, mimeType, size, sha256 } = data
  await tx
    .insertInto('attachment_contents')
    .values({ sha256, content: body })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute()
  await tx
    .insertInto('attachments')
    .values({ id, owner_user_id: ownerUserId, name, mime_type: mimeType, size, sha256, created_at: at })
    .execute()
}

/** Deletes uploads from before this time that were never sent, and contents that no upload uses. */
export async function forgetUnsent(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('attachments').where('created_at', '<', before).where(isUnsent).execute()
  await tx
    .deleteFrom('attachment_contents')
    .where(sql<boolean>`not exists (select 1 from attachments where attachments.sha256 = attachment_contents.sha256)`)
    .execute()
}
