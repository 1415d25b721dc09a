import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const CheckpointId = idOf('CheckpointId')
export type CheckpointId = z.infer<typeof CheckpointId>
