import type { SessionId } from '../../domain/session/id.ts'
import type { Actor, Standing } from '../../domain/user/actor.ts'

export type AgentActor = Extract<Actor, { kind: 'agent' }>

/** The one session a caller belongs to, and as whom it acts there. Changes only where it goes on with another one. */
export type AttachedSession = {
  sessionId: SessionId
  actor: AgentActor
  /** Its token is for this session and no other. */
  readonly bound: boolean
}

/** One connection, or one request without one. */
export type Link = AttachedSession & {
  /** The MCP session of the 2025 revisions; null for requests that stand alone. */
  readonly connectionId: string | null
  /** What tells a request without a connection apart, where its sender says so. */
  readonly callKey: string | null
  /** Done when the question of a call is on the disk: a server that comes next then knows of it. */
  kept?(): Promise<void>
  /** The server stops: whoever waits is left to the next one. */
  readonly closing: AbortSignal
}

export const standingOf = ({ actor }: Pick<Link, 'actor'>): Standing => ({
  actor,
  grants: [],
  memberOf: [],
  unknown: false,
})

/** As whom this edge acts for itself, and looks. */
export const system = { kind: 'system' as const, name: 'mcp' }
export const seeing: Standing = { actor: system, grants: [], memberOf: [], unknown: false }
