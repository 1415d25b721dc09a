import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const RuleId = idOf('RuleId')
export type RuleId = z.infer<typeof RuleId>
