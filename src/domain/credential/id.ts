import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const CredentialId = idOf('CredentialId')
export type CredentialId = z.infer<typeof CredentialId>
