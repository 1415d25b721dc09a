import type { SessionId } from '../../domain/session/id.ts'
import type { Actor, Standing } from '../../domain/user/actor.ts'

export type AgentActor = Extract<Actor, { kind: 'agent' }>

/** The caller's session and its actor there. Changes only if the caller continues another session. */
export type AttachedSession = {
  sessionId: SessionId
  actor: AgentActor
  /** Its token is bound to this session. */
  readonly bound: boolean
}

/** One connection, or one independent request. */
export type Link = AttachedSession & {
  /** The MCP session of the 2025 revisions; null for independent requests. */
  readonly connectionId: string | null
  /** The caller's key for an independent request, if given. */
  readonly callKey: string | null
  /** Resolves when the request is on disk, so that the next server knows it. */
  kept?(): Promise<void>
  /** The server stops: waiting calls are left to the next one. */
  readonly closing: AbortSignal
}

export const standingOf = ({ actor }: Pick<Link, 'actor'>): Standing => ({
  actor,
  grants: [],
  memberOf: [],
  unknown: false,
})

/** The actor this edge dispatches commands as, and the standing it reads with. */
export const system = { kind: 'system' as const, name: 'mcp' }
export const systemViewer: Standing = { actor: system, grants: [], memberOf: [], unknown: false }
