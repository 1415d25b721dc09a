import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const SessionId = idOf('SessionId')
export type SessionId = z.infer<typeof SessionId>
