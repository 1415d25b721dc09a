import * as z from 'zod'
import { AttachmentId, AttachmentInfo, newAttachment } from '../../domain/attachment/schema.ts'
import { SessionId } from '../../domain/session/id.ts'
import { endpoint } from '../endpoint.ts'

export const attachmentEndpoints = {
  addAttachment: endpoint({
    method: 'POST',
    path: '/api/attachments',
    tag: 'sessions',
    summary: 'Upload a file of at most 10 MB to send with a prompt; what is not sent is deleted after a day',
    status: 201,
    body: () => z.strictObject(newAttachment),
    response: AttachmentInfo,
  }),
  getAttachment: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/attachments/{attachmentId}',
    tag: 'sessions',
    summary: 'A file that was sent with a prompt',
    status: 200,
    params: () => z.object({ id: SessionId, attachmentId: AttachmentId }),
    response: () => z.string().meta({ description: 'application/octet-stream' }),
  }),
}
