import type { CliScope } from '../agent-group/container-config.ts'
import type { SessionId } from '../session/id.ts'
import { holdsMachine, isGlobalAdmin, type Grant } from './decide.ts'
import type { AgentGroupId, TokenId, UserId } from './id.ts'

/** The caller. Edges identify it; the core decides what it may do. */
export type Actor =
  | { readonly kind: 'person'; readonly userId: UserId; readonly scope: 'full' | 'read' }
  /** `tokenId` is null if it came through the local socket. */
  | {
      readonly kind: 'agent'
      readonly userId: UserId
      readonly tokenId: TokenId | null
      readonly sessionId: SessionId | null
    }
  | { readonly kind: 'policy'; readonly rule: string }
  | { readonly kind: 'system'; readonly name: string }

/** How the log and answers name an actor. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'person':
      return `user:${actor.userId}`
    case 'agent':
      return `agent:${actor.sessionId ?? actor.tokenId ?? actor.userId}`
    case 'policy':
      return `policy:${actor.rule}`
    case 'system':
      return `system:${actor.name}`
    default:
      return actor satisfies never
  }
}

export const personOf = (actor: Actor): UserId | null => ('userId' in actor ? actor.userId : null)

/** The roles and group memberships of one person. */
export type Holdings = { readonly grants: readonly Grant[]; readonly memberOf: readonly AgentGroupId[] }

/** An actor with its current roles. */
export type Standing = Holdings & {
  readonly actor: Actor
  /** What the person behind an agent holds: an upper limit for the agent, not a permission of its own. */
  readonly behind?: Holdings
  /** The person was removed, or never existed. */
  readonly unknown: boolean
  /** For an agent of an agent group that uses the API or the command line (C10); known where callers sign in. */
  readonly cli?: { readonly scope: CliScope; readonly agentGroupId: AgentGroupId }
}

/** A part of Signalbox itself, which sees everything. */
export const systemStanding = (name: string): Standing & { readonly actor: { readonly kind: 'system' } } => ({
  actor: { kind: 'system', name },
  grants: [],
  memberOf: [],
  unknown: false,
})

export const isAdmin = (standing: Standing): boolean =>
  standing.actor.kind === 'system' || (standing.actor.kind === 'person' && isGlobalAdmin(standing.grants))

const nothingHeld: Holdings = { grants: [], memberOf: [] }

/** What the acting person holds, or the person an agent acts for. */
export const holdingsOf = (standing: Standing): Holdings =>
  standing.actor.kind === 'agent' ? (standing.behind ?? nothingHeld) : standing

/** Whether the actor may run programs as the server's user; an agent never more than its person (S1). */
export const mayUseMachine = (standing: Standing): boolean =>
  !standing.unknown &&
  (standing.actor.kind === 'system' || (standing.actor.kind !== 'policy' && holdsMachine(holdingsOf(standing).grants)))

/** What a viewer may see: everything, a person's own and their groups' sessions, or one agent's own. */
export type Viewer =
  | { readonly sees: 'all' }
  | {
      readonly sees: 'own'
      readonly userId: UserId
      readonly groups: readonly AgentGroupId[]
      /** Anyone who may run programs as the server's user may use every repo. */
      readonly everyRepo: boolean
    }
  | {
      readonly sees: 'agent'
      readonly tokenId: TokenId | null
      readonly sessionId: SessionId | null
      /** Also the rows of this agent group's sessions, without what was said in them. */
      readonly group?: AgentGroupId
    }
  | { readonly sees: 'nothing' }

export function viewerOf(standing: Standing): Viewer {
  const { actor } = standing
  if (standing.unknown) return { sees: 'nothing' }
  switch (actor.kind) {
    case 'system':
      return { sees: 'all' }
    case 'policy':
      return { sees: 'nothing' }
    case 'agent':
      return { sees: 'agent', tokenId: actor.tokenId, sessionId: actor.sessionId }
    case 'person': {
      if (isGlobalAdmin(standing.grants)) return { sees: 'all' }
      const administered = standing.grants.flatMap((grant) => grant.agentGroupId ?? [])
      return {
        sees: 'own',
        userId: actor.userId,
        groups: [...new Set([...standing.memberOf, ...administered])],
        everyRepo: holdsMachine(standing.grants),
      }
    }
    default:
      return actor satisfies never
  }
}
