import { isConsent, type Answer } from '../domain/ask/answer.ts'
import type { LoadedAsk } from '../domain/ask/store.ts'
import type { AskKind } from '../domain/ask/subject.ts'
import type { CredentialId } from '../domain/credential/id.ts'
import { isAdmin } from '../domain/user/actor.ts'
import type { AgentGroupId } from '../domain/user/id.ts'
import { notFound, type Failed } from '../lib/result.ts'
import { addsBudget, mayConfigure, settingsIn } from './rules-group.ts'
import { allow, forbid, groupAdmins, operator, people, rule, self, type Grounds } from './rules.ts'

/** The fields of an ask that decide who may answer it. */
export type Answerable = Pick<LoadedAsk, 'id' | 'sessionId' | 'answerers' | 'agentGroupId' | 'requestedBy'> & {
  readonly kind: AskKind
}

/**
 * Administrators answer asks about their agent group (C7): its admins, global admins and owners, by the roles they have
 * when they answer.
 */
export const administrator = (grounds: Grounds, ask: Answerable, agentGroupId: AgentGroupId): Failed | null => {
  const refused = groupAdmins(grounds, { agentGroupId })
  if (refused) return operator(grounds, undefined)?.fault.kind === 'not_found' ? notFound('ask', ask.id) : refused
  if (grounds.separateRequester && ask.requestedBy !== null && self(grounds, ask.requestedBy))
    return forbid(
      'not_requester',
      'Your own message led to this ask, so someone else has to answer it.',
      'Ask another admin; approvals.separate_requester is on.',
    )
  return allow
}

/** Nobody approves what they could not do themselves: some settings of a group are for admins of the server. */
export const mayGrantToGroup = (
  grounds: Grounds,
  { subject, agentGroupId }: LoadedAsk,
  answer: Answer,
): Failed | null => {
  if (agentGroupId === null || !isConsent(subject, answer)) return allow
  if (addsBudget(subject) && !isAdmin(grounds.standing))
    return forbid(
      'needs_role',
      'The new agent gets a budget of its own. Only admins and owners of the server can approve that.',
      'Ask one of them, or reject it.',
    )
  const change = settingsIn(subject, grounds.config)
  return change === null ? allow : mayConfigure(grounds, { ...change, type: 'agent_group.configure', id: agentGroupId })
}

/** Others do not learn that the credential exists. */
export const adminsOfCredential = rule<{ id: CredentialId }>(groupAdmins.who, (grounds, { id }) => {
  const refused = grounds.credential ? groupAdmins(grounds, grounds.credential) : people(grounds, undefined)
  return refused?.fault.code === 'needs_role' ? notFound('credential', id) : refused
})
