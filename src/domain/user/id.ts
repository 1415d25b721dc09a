import type * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const UserId = idOf('UserId')
export type UserId = z.infer<typeof UserId>
export const TokenId = idOf('TokenId')
export type TokenId = z.infer<typeof TokenId>
export const AgentGroupId = idOf('AgentGroupId')
export type AgentGroupId = z.infer<typeof AgentGroupId>
