import type { Holdings } from '../user/actor.ts'
import { isGlobalAdmin } from '../user/decide.ts'
import type { AgentGroupId } from '../user/id.ts'
import type { SenderScope, UnknownSenderPolicy } from './schema.ts'

/** Owners, admins, admins of the group and its members. */
export const belongsTo = ({ grants, memberOf }: Holdings, agentGroupId: AgentGroupId): boolean =>
  isGlobalAdmin(grants) ||
  grants.some((grant) => grant.role === 'admin' && grant.agentGroupId === agentGroupId) ||
  memberOf.includes(agentGroupId)

/** How a sender relates to an agent group: one of its people, let in because the chat is public, or unknown. */
export type Access = 'known' | 'public' | 'unknown'

/** `holdings` is null for an identity that belongs to nobody. */
export function accessOf(holdings: Holdings | null, agentGroupId: AgentGroupId, policy: UnknownSenderPolicy): Access {
  if (holdings !== null && belongsTo(holdings, agentGroupId)) return 'known'
  return policy === 'public' ? 'public' : 'unknown'
}

export const isInScope = (access: Access, scope: SenderScope): boolean =>
  access === 'known' || (access === 'public' && scope === 'all')
