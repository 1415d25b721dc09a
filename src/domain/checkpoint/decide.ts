import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { SessionId } from '../session/id.ts'
import type { Checkpoint, CheckpointChange, CheckpointCommand } from './schema.ts'

/** The session of a checkpoint, as it is now. */
export type CheckpointedSession = Pick<Checkpoint, 'workspaceRoot' | 'progressSnapshot' | 'sessionState'> & {
  id: SessionId
}

export function decideCheckpoint(
  session: CheckpointedSession | undefined,
  known: Pick<Checkpoint, 'id' | 'sessionId'> | undefined,
  command: CheckpointCommand,
): Result<CheckpointChange[]> {
  const { id, sessionId } = command
  if (!session) return notFound('session', sessionId)
  switch (command.type) {
    case 'checkpoint.record': {
      if (known)
        return fail({ kind: 'conflict', code: 'checkpoint_exists', message: `Checkpoint ${id} already exists.` })
      const { label, reason, tree, restorePoint, fileCount, notKept } = command
      const { workspaceRoot, progressSnapshot, sessionState } = session
      return ok([
        {
          type: 'checkpoint.recorded',
          data: { id, sessionId, reason, tree, fileCount },
          body: {
            id,
            sessionId,
            workspaceRoot,
            label,
            reason,
            fileCount,
            notKept,
            tree,
            restorePoint,
            progressSnapshot,
            sessionState,
          },
        },
      ])
    }
    case 'checkpoint.note_restored': {
      if (!known || known.sessionId !== sessionId) return notFound('checkpoint', id)
      const { type: _type, ...noted } = command
      return ok([{ type: 'checkpoint.restored', data: noted }])
    }
    default:
      return command satisfies never
  }
}
