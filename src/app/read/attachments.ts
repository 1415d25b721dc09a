import type { AttachmentId, AttachmentInfo } from '../../domain/attachment/schema.ts'
import { contentOf, isInSession, loadAttachments } from '../../domain/attachment/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { personOf } from '../../domain/user/actor.ts'
import { notFound, ok, type Result } from '../../lib/result.ts'
import type { ReadContext } from './context.ts'

/** Files of prompts: for everyone who sees the session, and before they are sent for whoever uploaded them. */
export function createAttachmentReads({ database, behind, visibleSession }: ReadContext) {
  const { read: db } = database
  return {
    ownAttachment: behind('person', async (_viewer, who, id: AttachmentId): Promise<Result<AttachmentInfo>> => {
      const [found] = await loadAttachments(db, [id])
      if (!found || found.ownerUserId !== personOf(who.actor)) return notFound('attachment', id)
      const { name, mimeType, size } = found
      return ok({ id, name, mimeType, size })
    }),
    attachment: behind('anyone', async (viewer, _who, sessionId: SessionId, id: AttachmentId) => {
      const session = await visibleSession(viewer, sessionId)
      if (!session.ok) return session
      const [info] = (await isInSession(db, id, sessionId)) ? await loadAttachments(db, [id]) : []
      const content = info && (await contentOf(db, id))
      if (!info || content === undefined) return notFound('attachment', id)
      return ok({ name: info.name, bytes: Buffer.from(content, 'base64') })
    }),
  }
}
