import * as z from 'zod'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { RepoId } from './id.ts'

export { RepoId }

/** Who may use a repo: everyone, or these people and the members of these agent groups. Admins always may. */
export const RepoAccess = z
  .object({ everyone: z.boolean(), users: z.array(UserId), agentGroups: z.array(AgentGroupId) })
  .meta({ id: 'RepoAccess' })
export type RepoAccess = z.infer<typeof RepoAccess>

export const Repo = z
  .object({
    id: RepoId,
    name: z.string(),
    path: z.string(),
    addedBy: UserId.nullable(),
    createdAt: z.iso.datetime(),
    removedAt: z.iso.datetime().nullable(),
    access: RepoAccess.nullable().meta({ description: 'Who can use it; null if you are not an admin.' }),
  })
  .meta({ id: 'Repo' })
export type Repo = z.infer<typeof Repo>

export const RepoCommand = z.discriminatedUnion('type', [
  /** `path`: the real path, checked by the workspace edge. */
  z.object({
    type: z.literal('repo.register'),
    id: RepoId,
    name: z.string().trim().min(1).max(200),
    path: z.string().min(1).max(4096),
  }),
  z.object({ type: z.literal('repo.remove'), id: RepoId }),
  z.object({
    type: z.literal('repo.set_access'),
    id: RepoId,
    everyone: z.boolean(),
    users: z.array(UserId).max(1000).default([]),
    agentGroups: z.array(AgentGroupId).max(1000).default([]),
  }),
])
export type RepoCommand = z.infer<typeof RepoCommand>

/** Events of repos in the log. */
export const repoEvents = {
  'repo.registered': () => z.object({ id: RepoId, path: z.string(), by: UserId.nullable() }),
  'repo.removed': () => z.object({ id: RepoId }),
  'repo.access_set': () => RepoAccess.extend({ id: RepoId }),
}
type Data = DataOf<typeof repoEvents>

export type RepoChange =
  | { type: 'repo.registered'; data: Data['repo.registered']; body: { name: string } }
  | { type: 'repo.removed'; data: Data['repo.removed'] }
  | { type: 'repo.access_set'; data: Data['repo.access_set'] }
