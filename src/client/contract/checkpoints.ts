import * as z from 'zod'
import { Checkpoint, CheckpointId, CheckpointLabel } from '../../domain/checkpoint/schema.ts'
import { KeptItem } from '../../domain/queue/schema.ts'
import { OperationalMode, ProgressItem, SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { PageCursor, limit } from './parts.ts'

const ById = z.object({ id: CheckpointId })
const OfSession = z.object({ id: SessionId })

const Paths = z.object({
  count: z.int(),
  paths: z.array(z.string()).meta({ description: 'The first 1,000, in order.' }),
})
export type Paths = z.infer<typeof Paths>

export const Diverged = z.object({ modified: Paths, deleted: Paths, added: Paths }).meta({ id: 'Diverged' })
export type Diverged = z.infer<typeof Diverged>

export const CheckpointFile = z
  .object({
    path: z.string(),
    kind: z.enum(['file', 'link']),
    sha256: z.string().meta({ description: "Of the file's contents, or of a link's target." }),
    mode: z.string().nullable().meta({ description: 'Octal permissions, such as 644; null for a link.' }),
    size: z.int().nullable().meta({ description: 'In bytes; null for a link.' }),
  })
  .meta({ id: 'CheckpointFile' })
export type CheckpointFile = z.infer<typeof CheckpointFile>

const longestPath = 8192

const Resume = z
  .object({
    restartOf: SessionId,
    agent: z.string().nullable(),
    prompt: z.string().nullable(),
    mode: OperationalMode,
    progress: z.array(ProgressItem).nullable(),
    queue: z.array(KeptItem),
  })
  .meta({ description: 'What a session that continues from here starts with.' })

export const RestoreAnswer = z
  .discriminatedUnion('confirmed', [
    z.object({ confirmed: z.literal(false), checkpoint: Checkpoint, diverged: Diverged }),
    z.object({
      confirmed: z.literal(true),
      checkpoint: Checkpoint,
      before: Checkpoint.meta({ description: 'A checkpoint of the state before, to go back to.' }),
      restored: Paths,
      recreated: Paths,
      kept: Paths.meta({ description: 'Files that are new since then and still there.' }),
      removed: Paths,
      failed: z.array(z.object({ path: z.string(), why: z.string() })),
      resume: Resume,
    }),
  ])
  .meta({ id: 'RestoreAnswer' })
export type RestoreAnswer = z.infer<typeof RestoreAnswer>

export const checkpointEndpoints = {
  createCheckpoint: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/checkpoints',
    tag: 'checkpoints',
    summary: 'Save all files of the workspace that are not ignored, and the state of the session',
    status: 201,
    params: OfSession,
    body: () => z.strictObject({ label: CheckpointLabel.optional() }),
    response: Checkpoint,
  }),
  listCheckpoints: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/checkpoints',
    tag: 'checkpoints',
    summary: 'Checkpoints of a session and those it continues, newest first',
    status: 200,
    params: OfSession,
    response: () => z.object({ checkpoints: z.array(Checkpoint) }),
  }),
  allCheckpoints: endpoint({
    method: 'GET',
    path: '/api/checkpoints',
    tag: 'checkpoints',
    summary: 'Checkpoints of all sessions that you can see, newest first',
    status: 200,
    query: () => z.strictObject({ limit: limit(500, 100), before: PageCursor.optional() }),
    response: () => z.object({ checkpoints: z.array(Checkpoint), next: PageCursor.nullable() }),
  }),
  getCheckpoint: endpoint({
    method: 'GET',
    path: '/api/checkpoints/{id}',
    tag: 'checkpoints',
    summary: 'A checkpoint',
    status: 200,
    params: ById,
    response: Checkpoint,
  }),
  listCheckpointFiles: endpoint({
    method: 'GET',
    path: '/api/checkpoints/{id}/files',
    tag: 'checkpoints',
    summary: 'The files of a checkpoint with their SHA-256, in order of their paths',
    status: 200,
    params: ById,
    query: () =>
      z.strictObject({
        after: z.string().max(longestPath).optional().meta({ description: '`next` of the previous page.' }),
        limit: limit(10_000, 1000),
      }),
    response: () =>
      z.object({
        files: z.array(CheckpointFile),
        next: z.string().nullable().meta({ description: 'Where the next page starts; null on the last one.' }),
      }),
  }),
  restoreCheckpoint: endpoint({
    method: 'POST',
    path: '/api/checkpoints/{id}/restore',
    tag: 'checkpoints',
    summary: 'Compare with a checkpoint; with confirm, end the live agent and restore the files',
    status: 200,
    params: ById,
    body: () =>
      z.strictObject({
        confirm: z.boolean().default(false),
        removeNew: z.boolean().default(false).meta({
          description:
            "Delete new files that this session's approved writes created and nobody changed since. Default: new files stay.",
        }),
      }),
    response: RestoreAnswer,
  }),
}
