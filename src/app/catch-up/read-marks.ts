import type { Database } from '../../db/open.ts'
import type { SessionId } from '../../domain/session/id.ts'

/** How far each viewer has read, in one session or in all. Involves no decision, so it is not a command. */
export type ReadMarks = {
  last(viewer: string, sessionId: SessionId | null): Promise<string | null>
  note(viewer: string, sessionId: SessionId | null, cursor: string, at: string): Promise<void>
}

/** The value of the session column for all sessions. */
const everything = ''

export const readMarkRecords = ({ read, write }: Pick<Database, 'read' | 'write'>): ReadMarks => ({
  async last(viewer, sessionId) {
    const row = await read
      .selectFrom('last_looks')
      .select('cursor')
      .where('viewer', '=', viewer)
      .where('session_id', '=', sessionId ?? everything)
      .executeTakeFirst()
    return row?.cursor ?? null
  },
  async note(viewer, sessionId, cursor, at) {
    await write
      .insertInto('last_looks')
      .values({ viewer, session_id: sessionId ?? everything, cursor, at })
      .onConflict((conflict) => conflict.columns(['viewer', 'session_id']).doUpdateSet({ cursor, at }))
      .execute()
  },
})
