import * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const InputEventId = idOf('InputEventId')
export type InputEventId = z.infer<typeof InputEventId>

/** The first 32 digits of the SHA-256 of a pattern's key. */
export const PatternId = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
  .brand<'PatternId'>()
export type PatternId = z.infer<typeof PatternId>

export const PatternRuleId = idOf('PatternRuleId')
export type PatternRuleId = z.infer<typeof PatternRuleId>
