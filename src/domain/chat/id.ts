import * as z from 'zod'
import { idOf } from '../../lib/id.ts'

export const MessagingGroupId = idOf('MessagingGroupId')
export type MessagingGroupId = z.infer<typeof MessagingGroupId>
export const WiringId = idOf('WiringId')
export type WiringId = z.infer<typeof WiringId>
export const ChatInstanceId = idOf('ChatInstanceId')
export type ChatInstanceId = z.infer<typeof ChatInstanceId>
export const InboxId = idOf('InboxId')
export type InboxId = z.infer<typeof InboxId>

/** Which messages reach one session: of a chat, of a thread, or all of an agent group. */
export const SessionMode = z.enum(['shared', 'per-thread', 'agent-shared'])
export type SessionMode = z.infer<typeof SessionMode>
