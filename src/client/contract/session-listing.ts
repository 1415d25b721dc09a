import * as z from 'zod'
import { Session, SessionId, SessionName } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'

const ById = z.object({ id: SessionId })

/** How lists show a session. */
export const sessionListingEndpoints = {
  renameSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/name',
    tag: 'sessions',
    summary: 'Name a session; null removes its name',
    status: 200,
    params: ById,
    body: () => z.strictObject({ name: SessionName.nullable() }),
    response: Session,
  }),
  pinSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/pin',
    tag: 'sessions',
    summary: 'Pin a session, or unpin it: pinned ones come first in the dashboard, for everyone',
    status: 200,
    params: ById,
    body: () => z.strictObject({ pinned: z.boolean() }),
    response: Session,
  }),
  archiveSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/archive',
    tag: 'sessions',
    summary: 'Archive a session that has ended, or bring it back: lists leave archived ones out, for everyone',
    status: 200,
    params: ById,
    body: () => z.strictObject({ archived: z.boolean() }),
    response: Session,
  }),
}
