import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import type { DataOf } from '../slice/events.ts'
import { UserId } from '../user/id.ts'

export const AttachmentId = idOf('AttachmentId')
export type AttachmentId = z.infer<typeof AttachmentId>

/** As much as fits into a request and into one line to an agent. */
export const mostAttachmentBytes = 10_000_000
export const mostPromptBytes = 20_000_000
export const mostAttachments = 10
export const mostLinks = 20

const MimeType = z
  .string()
  .max(100)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type such as image/png')

/** A name without folders, in one line. */
const FileName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}/\\]*$/u, 'must be a file name without folders')

const described = { id: AttachmentId, name: z.string(), mimeType: z.string(), size: z.int() }

/** What is known of a file that belongs to a prompt. */
export const AttachmentInfo = z.object(described).meta({ id: 'AttachmentInfo' })
export type AttachmentInfo = z.infer<typeof AttachmentInfo>

/** A path below the workspace, as the agent gets it. */
export const WorkspaceLink = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^\p{Cc}\\]+$/u, 'must not have control characters')
  .refine((path) => !path.startsWith('/') && !path.split('/').some((part) => ['', '.', '..'].includes(part)), {
    error: 'must be a path below the workspace',
  })

/** What a prompt has besides its words. */
export const promptFiles = {
  attachments: z.array(AttachmentId).max(mostAttachments).optional().meta({
    description: 'Files to send along, uploaded before with POST /api/attachments.',
  }),
  links: z.array(WorkspaceLink).max(mostLinks).optional().meta({
    description: 'Files of the workspace to point the agent to, as paths below it.',
  }),
}

export const newAttachment = {
  name: FileName,
  mimeType: MimeType,
  data: z
    .base64()
    .min(1)
    .max(Math.ceil(mostAttachmentBytes / 3) * 4)
    .meta({ description: 'The file in base64.' }),
}

export const AttachmentCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('attachment.add'), id: AttachmentId, ...newAttachment }),
])
export type AttachmentCommand = z.infer<typeof AttachmentCommand>

/** Events about files of prompts. */
export const attachmentEvents = {
  'attachment.added': () => z.object({ ...described, ownerUserId: UserId, sha256: z.string() }),
}
type Data = DataOf<typeof attachmentEvents>

/** The body is the content in base64: as it arrives, and as agents get it. */
export type AttachmentChange = { type: 'attachment.added'; data: Data['attachment.added']; body: string }
