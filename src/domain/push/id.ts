import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const PushDeviceId = idOf('PushDeviceId')
export type PushDeviceId = z.infer<typeof PushDeviceId>
