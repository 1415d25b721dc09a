import type { AgentGroupId, UserId } from '../user/id.ts'

/** The built-in platform: the chat of the dashboard. */
export const webPlatform = 'web'

/** The chat of one person with one agent group. */
export const webChatId = (userId: UserId, agentGroupId: AgentGroupId): string => `${userId}/${agentGroupId}`

export function readWebChatId(id: string): { userId: UserId; agentGroupId: AgentGroupId } {
  const [userId = '', agentGroupId = ''] = id.split('/')
  return { userId: userId as UserId, agentGroupId: agentGroupId as AgentGroupId }
}

const prefix = 'user:'

/** Nobody can link such an identity: our own server says who writes in the web chat. */
export const webIdentity = (userId: UserId): string => `${prefix}${userId}`

export const userOfWebIdentity = (identity: string): UserId | null =>
  identity.startsWith(prefix) ? (identity.slice(prefix.length) as UserId) : null
