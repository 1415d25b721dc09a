import { sessionGrounds, withWorkplace } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decideCheckpoint } from './decide.ts'
import { checkpointEvents, type CheckpointChange, type CheckpointCommand } from './schema.ts'
import { loadCheckpoint, loadCheckpointedSession, projectCheckpoint } from './store.ts'

export const checkpointSlice: Slice<CheckpointCommand, CheckpointChange> = {
  events: checkpointEvents,
  streams: (_db, { sessionId }) => [sessionId],
  async load(db, command, context) {
    return {
      grounds: await withWorkplace(db, await sessionGrounds(db, command.sessionId, context), context),
      decide: async () =>
        decideCheckpoint(
          await loadCheckpointedSession(db, command.sessionId),
          await loadCheckpoint(db, command.id),
          command,
        ),
    }
  },
  project: projectCheckpoint,
  audience: ({ data }) => ({ session: data.sessionId }),
  subject: ({ id }) => id,
}
