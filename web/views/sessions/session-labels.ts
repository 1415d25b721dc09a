import type { Session } from '../../../src/domain/session/schema.ts'
import type { Activity } from '../../../src/domain/session/phase.ts'
import type { SessionStatus } from '../../../src/domain/session/status.ts'
import type { Signal } from '../../ui/badge.tsx'
import { listTitle, safeText } from '../../ui/safe-text.ts'

type SessionLabel = { label: string; signal: Signal; about: string }

/** Labels of statuses and their meaning. */
export const statusLabels: Readonly<Record<SessionStatus, SessionLabel>> = {
  created: { label: 'starting', signal: 'info', about: 'The agent is being started.' },
  active: { label: 'active', signal: 'clear', about: 'The agent is working or ready.' },
  paused: { label: 'paused', signal: 'wait', about: 'Waiting to be resumed.' },
  interrupted: { label: 'interrupted', signal: 'wait', about: 'The agent was lost; the session can be recovered.' },
  completed: { label: 'completed', signal: 'plain', about: 'It ended normally.' },
  cancelled: { label: 'cancelled', signal: 'plain', about: 'Someone ended it before it was done.' },
  error: { label: 'failed', signal: 'stop', about: 'The agent crashed or could not continue.' },
  terminated: { label: 'terminated', signal: 'plain', about: 'Force stopped.' },
}

/** What an active session is doing. */
const activityLabels: Readonly<Record<Activity, SessionLabel>> = {
  working: { label: 'working', signal: 'clear', about: 'The agent is working on a prompt.' },
  idle: { label: 'idle', signal: 'plain', about: 'The turn is over; the agent is ready for a prompt.' },
  unresponsive: { label: 'does not stop', signal: 'stop', about: 'The agent was told to stop, but has not stopped.' },
  needs_you: { label: 'needs you', signal: 'stop', about: 'The agent is waiting for an answer.' },
  asleep: { label: 'asleep', signal: 'plain', about: 'The agent was ended to free a slot. A prompt wakes it.' },
  queued: { label: 'queued', signal: 'info', about: 'It starts when a container is free.' },
}

/** What a session is doing, else its status. */
export const stateLabel = ({ status, activity }: Pick<Session, 'status' | 'activity'>): SessionLabel =>
  activity === null || (status !== 'active' && status !== 'created') ? statusLabels[status] : activityLabels[activity]

export const connectivityLabels: Readonly<Record<Session['connectivityStatus'], SessionLabel>> = {
  online: { label: 'online', signal: 'clear', about: 'The agent is connected.' },
  offline: { label: 'offline', signal: 'plain', about: 'The agent is not connected now.' },
  stalled: { label: 'stalled', signal: 'wait', about: 'The agent has been quiet for a while.' },
}

export const protocolLabels: Readonly<Record<Session['protocolMode'], { label: string; about: string }>> = {
  acp: { label: 'hosted', about: 'Signalbox runs the agent (ACP).' },
  mcp: { label: 'connected', about: 'The agent runs elsewhere and connects to Signalbox (MCP).' },
  terminal: { label: 'terminal', about: 'A program in a terminal of Signalbox.' },
}

export const folderName = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== '') ?? path

export const firstLine = (text: string): string => {
  const line = text.trimStart().split('\n', 1)[0]?.trim() ?? ''
  return listTitle(line.length > 120 ? `${line.slice(0, 120)} …` : line)
}

/** The agent's title, else the prompt, else the workspace. */
export function titleOf(session: Pick<Session, 'prompt' | 'workspaceRoot'>, own: string | null | undefined): string {
  const words = firstLine(own ?? '') || firstLine(session.prompt ?? '')
  return words === '' ? safeText(folderName(session.workspaceRoot)) : words
}

export function costText(usd: number | null | undefined): string | null {
  if (usd === null || usd === undefined) return null
  return usd > 0 && usd < 0.01 ? '< $0.01' : `$${usd.toFixed(2)}`
}

export function tokenText(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens))
  return tokens < 1_000_000 ? `${Math.round(tokens / 100) / 10}k` : `${Math.round(tokens / 100_000) / 10}M`
}
