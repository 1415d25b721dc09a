import * as z from 'zod'
import { UserId } from '../user/id.ts'
import { RepoId } from './id.ts'

export { RepoId }

export const Repo = z
  .object({
    id: RepoId,
    name: z.string(),
    path: z.string(),
    addedBy: UserId.nullable(),
    createdAt: z.iso.datetime(),
    removedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Repo' })
export type Repo = z.infer<typeof Repo>

export const RepoCommand = z.discriminatedUnion('type', [
  /** `path` is the real path, found and checked by the workspace edge. */
  z.object({
    type: z.literal('repo.register'),
    id: RepoId,
    name: z.string().trim().min(1).max(200),
    path: z.string().min(1).max(4096),
  }),
  z.object({ type: z.literal('repo.remove'), id: RepoId }),
])
export type RepoCommand = z.infer<typeof RepoCommand>

export type RepoChange =
  | { type: 'repo.registered'; data: { id: RepoId; path: string; by: UserId | null }; body: { name: string } }
  | { type: 'repo.removed'; data: { id: RepoId } }
