import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const RepoId = idOf('RepoId')
export type RepoId = z.infer<typeof RepoId>
