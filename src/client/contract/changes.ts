import * as z from 'zod'
import { SessionId } from '../../domain/session/id.ts'
import { SessionStatusName } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { FileChange, limit } from './parts.ts'

const ById = z.object({ id: SessionId })

export const ChangedFile = FileChange.extend({
  from: z.string().nullable().meta({ description: 'The old name of a renamed file.' }),
  binary: z.boolean(),
}).meta({ id: 'ChangedFile' })

export const WholeChange = z
  .object({
    base: z.string().meta({ description: 'The commit that the change is compared with.' }),
    head: z.string(),
    branch: z.string().nullable(),
    into: z.string().nullable().meta({ description: 'The branch that a worktree was made from.' }),
    worktree: z.boolean().meta({ description: 'It works in a worktree of its own, which can be merged.' }),
    commits: z.array(z.object({ id: z.string(), subject: z.string(), at: z.string() })),
    uncommitted: z.int().meta({ description: 'Files with changes that are not committed.' }),
    merged: z.boolean().meta({ description: 'The other branch has all its commits.' }),
    files: z.array(ChangedFile),
    diff: z.string(),
    truncated: z.boolean().meta({ description: 'The diff or the list of files is cut.' }),
    proposedMessage: z.string().meta({ description: 'For a commit.' }),
    sharedWith: z.int().meta({ description: 'How many other sessions work in the same directory now.' }),
  })
  .meta({ id: 'SessionChange' })
export type WholeChange = z.infer<typeof WholeChange>

const Conflict = z.object({
  path: z.string(),
  text: z.string().nullable().meta({ description: 'With conflict markers; null if it is long or binary.' }),
})

export const MergeAnswer = z
  .discriminatedUnion('outcome', [
    z.object({
      outcome: z.literal('merged'),
      commit: z.string(),
      branch: z.string(),
      into: z.string(),
      fastForward: z.boolean(),
    }),
    z.object({ outcome: z.literal('nothing'), branch: z.string(), into: z.string() }),
    z.object({
      outcome: z.literal('conflict'),
      branch: z.string(),
      into: z.string(),
      at: z.string().nullable().meta({ description: 'With a rebase, the commit that does not fit.' }),
      conflicts: z.array(Conflict),
    }),
  ])
  .meta({ id: 'MergeAnswer' })
export type MergeAnswer = z.infer<typeof MergeAnswer>

export const WorktreeInfo = z
  .object({
    sessionId: SessionId.meta({ description: 'The last session that worked there.' }),
    status: SessionStatusName,
    path: z.string(),
    branch: z.string().nullable(),
    repo: z.string(),
    lost: z.string().nullable().meta({ description: 'What would be lost if it were removed; null if nothing.' }),
  })
  .meta({ id: 'WorktreeInfo' })
export type WorktreeInfo = z.infer<typeof WorktreeInfo>

export const changeEndpoints = {
  sessionChange: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/change',
    tag: 'changes',
    summary: 'The whole change of a session in Git: its commits, uncommitted changes and new files',
    status: 200,
    params: ById,
    response: WholeChange,
  }),
  commitSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/commit',
    tag: 'changes',
    summary: 'Commit all files of the workspace that are not ignored; no hook runs',
    status: 201,
    params: ById,
    body: () =>
      z.strictObject({
        message: z.string().trim().min(1).max(20_000).optional().meta({ description: 'Default: the proposed one.' }),
      }),
    response: () =>
      z
        .object({ commit: z.string(), branch: z.string(), files: z.int(), message: z.string() })
        .meta({ id: 'Committed' }),
  }),
  mergeSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/merge',
    tag: 'changes',
    summary: "Merge or rebase the session's worktree into the branch it came from; with a conflict nothing is changed",
    status: 200,
    params: ById,
    body: () =>
      z.strictObject({
        how: z.enum(['merge', 'rebase']).default('merge'),
        into: z.string().min(1).max(250).optional().meta({ description: 'Default: the branch it came from.' }),
      }),
    response: MergeAnswer,
  }),
  findWorkspaceFiles: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/workspace-files',
    tag: 'changes',
    summary: 'Files of the workspace whose names match: those that Git tracks or does not ignore',
    status: 200,
    params: ById,
    query: () => z.strictObject({ q: z.string().max(200).default(''), limit: limit(100, 20) }),
    response: () => z.object({ files: z.array(z.string()) }),
  }),
  listWorktrees: endpoint({
    method: 'GET',
    path: '/api/worktrees',
    tag: 'changes',
    summary: 'Worktrees of sessions that you can see, newest first',
    status: 200,
    response: () => z.object({ worktrees: z.array(WorktreeInfo) }),
  }),
  removeWorktree: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/worktree/remove',
    tag: 'changes',
    summary: 'Remove the worktree of a session; work that would be lost is listed, and then it needs confirm',
    status: 200,
    params: ById,
    body: () => z.strictObject({ confirm: z.boolean().default(false) }),
    response: () =>
      z
        .object({
          removed: z.boolean(),
          path: z.string(),
          branchKept: z
            .string()
            .nullable()
            .meta({ description: 'The branch, if it was kept because its commits are on no other branch.' }),
        })
        .meta({ id: 'WorktreeRemoved' }),
  }),
}
