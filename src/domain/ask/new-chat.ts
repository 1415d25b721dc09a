import type { Holdings } from '../user/actor.ts'
import { isGlobalAdmin } from '../user/decide.ts'
import type { AgentGroupId } from '../user/id.ts'
import type { Answer } from './answer.ts'
import type { AskSubject } from './subject.ts'

type NewChat = Extract<AskSubject, { kind: 'new_chat' }>

/** The agent group that an answer lets listen in a new chat: the one named, or the one that was proposed. */
export function groupMeant({ groups = [], agentGroupId }: NewChat, answer: Answer): AgentGroupId | undefined {
  const named = answer.outcome === 'approve' ? answer.group : undefined
  const found = groups.find(({ id, name }) => id === named || name.toLowerCase() === named?.toLowerCase())
  return (named === undefined ? agentGroupId : found?.id) as AgentGroupId | undefined
}

/** An ask as someone sees it who administers some of the agent groups: only those can be chosen. */
export function withOwnGroups<A extends { readonly subject: AskSubject }>(ask: A, { grants }: Holdings): A {
  const { subject } = ask
  if (subject.kind !== 'new_chat' || subject.groups === undefined || isGlobalAdmin(grants)) return ask
  const isOwn = ({ id }: { id: string }) => grants.some((one) => one.role === 'admin' && one.agentGroupId === id)
  return { ...ask, subject: { ...subject, groups: subject.groups.filter(isOwn) } }
}
