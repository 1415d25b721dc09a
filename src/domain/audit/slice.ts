import { ok } from '../../lib/result.ts'
import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { auditEvents, type AuditChange, type AuditCommand } from './schema.ts'

/** Security events: logged, without a table. */
export const auditSlice: Slice<AuditCommand, AuditChange> = {
  events: auditEvents,
  streams: () => ['security'],
  async load(_db, { what, detail }, context) {
    return {
      grounds: groundsOf(context),
      decide: () => ok([{ type: 'security.reported', data: { what, detail } }]),
    }
  },
  // Stored only in the log.
  async project() {},
  audience: () => ({ stream: 'security', visibility: 'admin' }),
  subject: ({ what }) => what,
}
