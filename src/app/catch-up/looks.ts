import type { Database } from '../../db/open.ts'
import type { SessionId } from '../../domain/session/id.ts'

/** How far each viewer was told, of one session or of all. Nothing of it is decided, so nothing of it is a command. */
export type Looks = {
  last(viewer: string, sessionId: SessionId | null): Promise<string | null>
  note(viewer: string, sessionId: SessionId | null, cursor: string, at: string): Promise<void>
}

/** In the column of the session, where somebody looked at everything. */
const everything = ''

export const lookRecords = ({ read, write }: Pick<Database, 'read' | 'write'>): Looks => ({
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
