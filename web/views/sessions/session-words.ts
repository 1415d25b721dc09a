import type { Session } from '../../../src/domain/session/schema.ts'
import type { SessionStatus } from '../../../src/domain/session/status.ts'
import type { Signal } from '../../ui/badge.tsx'
import { safeText } from '../../ui/safe-text.ts'

type Word = { label: string; signal: Signal; about: string }

/** What a status is called for people, and what it means. */
export const statusWords: Readonly<Record<SessionStatus, Word>> = {
  created: { label: 'starting', signal: 'info', about: 'The agent is being started.' },
  active: { label: 'active', signal: 'clear', about: 'The agent is working or ready.' },
  paused: { label: 'paused', signal: 'wait', about: 'Waiting to be resumed.' },
  interrupted: { label: 'interrupted', signal: 'wait', about: 'The agent was lost; the session can be recovered.' },
  completed: { label: 'completed', signal: 'plain', about: 'It ended normally.' },
  cancelled: { label: 'cancelled', signal: 'plain', about: 'Someone ended it before it was done.' },
  error: { label: 'failed', signal: 'stop', about: 'The agent crashed or could not continue.' },
  terminated: { label: 'terminated', signal: 'plain', about: 'It was force stopped.' },
}

export const connectivityWords: Readonly<Record<Session['connectivityStatus'], Word>> = {
  online: { label: 'online', signal: 'clear', about: 'The agent is connected.' },
  offline: { label: 'offline', signal: 'plain', about: 'The agent is not connected now.' },
  stalled: { label: 'stalled', signal: 'wait', about: 'The agent has been quiet for a while.' },
}

export const protocolWords: Readonly<Record<Session['protocolMode'], { label: string; about: string }>> = {
  acp: { label: 'hosted', about: 'Signalbox runs the agent (ACP).' },
  mcp: { label: 'connected', about: 'The agent runs elsewhere and connects to Signalbox (MCP).' },
  terminal: { label: 'terminal', about: 'A program in a terminal that Signalbox holds.' },
}

export const folderName = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== '') ?? path

export const firstLine = (text: string): string => {
  const line = text.trimStart().split('\n', 1)[0]?.trim() ?? ''
  return safeText(line.length > 120 ? `${line.slice(0, 120)} …` : line)
}

/** The agent's own title, else what it was asked, else where it works. */
export function titleOf(session: Pick<Session, 'prompt' | 'workspaceRoot'>, own: string | null | undefined): string {
  const words = firstLine(own ?? '') || firstLine(session.prompt ?? '')
  return words === '' ? safeText(folderName(session.workspaceRoot)) : words
}

export function costWords(usd: number | null | undefined): string | null {
  if (usd === null || usd === undefined) return null
  return usd > 0 && usd < 0.01 ? '< $0.01' : `$${usd.toFixed(2)}`
}

export function tokenWords(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens))
  return tokens < 1_000_000 ? `${Math.round(tokens / 100) / 10}k` : `${Math.round(tokens / 100_000) / 10}M`
}
