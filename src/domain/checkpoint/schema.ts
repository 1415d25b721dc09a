import * as z from 'zod'
import { CheckpointId } from './id.ts'
import { KeptItem } from '../queue/schema.ts'
import { SessionId } from '../session/id.ts'
import type { DataOf } from '../slice/events.ts'
import { OperationalMode, ProgressItem, ProtocolMode, SessionStatusName } from '../session/schema.ts'

export { CheckpointId }

/** Why it was made: by an agent's tool, by a person, at the start of its session, or before a restore. */
export const CheckpointReason = z.enum(['tool', 'person', 'start', 'before_restore'])
export type CheckpointReason = z.infer<typeof CheckpointReason>

/** The state of a session, so that a successor can continue from there. */
export const SessionSnapshot = z.object({
  status: SessionStatusName,
  protocolMode: ProtocolMode,
  mode: OperationalMode,
  prompt: z.string().nullable(),
  agent: z.string().nullable(),
  lastTool: z.string().nullable(),
  queue: z
    .array(KeptItem)
    .meta({ description: 'Prompts that were waiting, in the order in which they would be sent.' }),
})
export type SessionSnapshot = z.infer<typeof SessionSnapshot>

export const NotKept = z.object({
  count: z.int(),
  files: z
    .array(z.object({ path: z.string(), why: z.string() }))
    .max(100)
    .meta({ description: 'The first of them.' }),
})
export type NotKept = z.infer<typeof NotKept>

export const Checkpoint = z
  .object({
    id: CheckpointId,
    sessionId: SessionId,
    workspaceRoot: z.string(),
    label: z.string().nullable(),
    reason: CheckpointReason,
    fileCount: z.int(),
    notKept: NotKept.meta({ description: "Files that exist but can't be restored, and why." }),
    tree: z.string().meta({ description: 'SHA-256 over the hashes of all files: the same files, the same tree.' }),
    restorePoint: z
      .string()
      .meta({ description: "Where the contents are kept: a commit in Signalbox's own repository, or its own files." }),
    progressSnapshot: z.array(ProgressItem).nullable(),
    sessionState: SessionSnapshot,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Checkpoint' })
export type Checkpoint = z.infer<typeof Checkpoint>

export const CheckpointLabel = z.string().trim().min(1).max(200)

const about = { id: CheckpointId, sessionId: SessionId }
const Count = z.int().min(0)
const restoration = {
  ...about,
  /** The checkpoint of the state before the restore. */
  before: CheckpointId,
  restored: Count,
  recreated: Count,
  kept: Count,
  removed: Count,
  failed: Count,
}

export const CheckpointCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('checkpoint.record'),
    ...about,
    label: CheckpointLabel.nullable().default(null),
    reason: CheckpointReason,
    tree: z.string().max(200),
    restorePoint: z.string().max(200),
    fileCount: Count,
    notKept: NotKept.default({ count: 0, files: [] }),
  }),
  z.object({ type: z.literal('checkpoint.note_restored'), ...restoration }),
])
export type CheckpointCommand = z.infer<typeof CheckpointCommand>

/** Events of checkpoints in the log. */
export const checkpointEvents = {
  'checkpoint.recorded': () =>
    z.object({
      id: CheckpointId,
      sessionId: SessionId,
      reason: CheckpointReason,
      tree: z.string(),
      fileCount: z.int(),
    }),
  'checkpoint.restored': () => z.object(restoration),
}
type Data = DataOf<typeof checkpointEvents>

export type CheckpointChange =
  | { type: 'checkpoint.recorded'; data: Data['checkpoint.recorded']; body: Omit<Checkpoint, 'createdAt'> }
  | { type: 'checkpoint.restored'; data: Data['checkpoint.restored'] }
