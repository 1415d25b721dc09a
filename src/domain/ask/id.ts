import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const AskId = idOf('AskId')
export type AskId = z.infer<typeof AskId>
