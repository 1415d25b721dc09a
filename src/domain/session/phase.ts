import type { ProtocolMode } from './schema.ts'
import { hasEnded, takesSlot, type SessionStatus } from './status.ts'

/**
 * Whether the agent of a session has a process. `asleep`: it was ended, and its conversation is kept. `waking`: a new
 * process is to be started. `queued`: it waits for its first process. `connected`: an MCP client that has called no tool.
 */
export const agentPhases = ['awake', 'asleep', 'waking', 'queued', 'connected'] as const
export type AgentPhase = (typeof agentPhases)[number]

/** Whether a session takes one of the slots of R4: an agent that is asleep or queued has no process, and a client that only connected does nothing. */
export const holdsSlot = (status: SessionStatus, phase: AgentPhase): boolean =>
  takesSlot(status) && (phase === 'awake' || phase === 'waking')

/** Whether the agent runs in a container. */
export const isContainer = (isolation: string | null): boolean => isolation === 'container'

export const activities = ['working', 'idle', 'needs_you', 'asleep', 'queued', 'unresponsive'] as const
export type Activity = (typeof activities)[number]

const words: Readonly<Record<Activity, string>> = {
  working: 'working',
  idle: 'idle',
  needs_you: 'needs you',
  asleep: 'asleep',
  queued: 'queued',
  unresponsive: 'does not stop',
}

/** What people read for a session: what it is doing, else its status. */
export function stateWords(session: {
  status: SessionStatus
  activity: Activity | null
  waiting: boolean
  queuePosition: number | null
}): string {
  const { status, activity, waiting, queuePosition } = session
  if (activity === 'queued' && queuePosition !== null) return `queued (${queuePosition})`
  if (activity !== null) return words[activity]
  return waiting ? `${status}, needs you` : status
}

/** What a session that is not over is doing; null if its status says it all. */
export function activityOf(session: {
  status: SessionStatus
  phase: AgentPhase
  protocolMode: ProtocolMode
  waiting: boolean
  inTurn: boolean
  /** It was told to stop, and does not. */
  unresponsive?: boolean
}): Activity | null {
  const { status, phase, protocolMode, waiting, inTurn, unresponsive = false } = session
  if (hasEnded(status)) return null
  if (phase === 'queued') return 'queued'
  if (status !== 'active') return null
  if (waiting) return 'needs_you'
  if (phase === 'asleep') return 'asleep'
  if (phase === 'waking') return 'working'
  if (phase === 'connected') return 'idle'
  // Whether a program in a terminal is working is not known.
  if (protocolMode === 'terminal') return null
  if (!inTurn) return 'idle'
  return unresponsive ? 'unresponsive' : 'working'
}

const second = 1000
const delays = [second, 5 * second, 30 * second, 120 * second, 120 * second] as const
const goodWhile = 60 * 60 * second

/** Crashes that still count: after a good hour they are forgotten. */
export const crashesSoFar = (known: { crashes: number; crashedAt: string | null }, now: number): number =>
  known.crashedAt === null || now - Date.parse(known.crashedAt) > goodWhile ? 0 : known.crashes

/** How long to wait before an agent that crashed is started again; null: not again. */
export const restartDelay = (crashes: number): number | null => delays[crashes] ?? null

/** How many containers run, and how many sessions wait for one. */
export type ContainerSlots = { readonly taken: number; readonly limit: number; readonly queued: number }

/** First come, first served: later sessions wait behind those that wait already. */
export function waitsForContainer(
  isolation: string | null,
  containers: ContainerSlots | undefined,
  predecessor: { status: SessionStatus; agentPhase: AgentPhase; isolation: string | null } | undefined,
  /** All slots of R4 are taken. */
  isFull: boolean,
): boolean {
  if (!containers || !isContainer(isolation)) return false
  const { status = 'completed', agentPhase = 'awake', isolation: before = null } = predecessor ?? {}
  // A restart takes over the container of the session it replaces.
  const freed = isContainer(before) && holdsSlot(status, agentPhase)
  return isFull || (!freed && (containers.taken >= containers.limit || containers.queued > 0))
}
