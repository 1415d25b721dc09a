import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const PasskeyId = idOf('PasskeyId')
export type PasskeyId = z.infer<typeof PasskeyId>
