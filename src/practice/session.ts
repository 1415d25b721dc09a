import { randomUUID } from 'node:crypto'
import { openHistory, readHistory, type HistoryEntry, type History } from './history.ts'
import type { ModeId, Speed } from './settings.ts'

export type PracticeSession = {
  readonly id: string
  readonly cwd: string
  readonly history: History
  /** Texts given to `/remember`. */
  readonly memory: string[]
  /** Kinds of work that are always allowed, as named in permission.ts. */
  readonly always: Set<string>
  modeId: ModeId
  speed: Speed
  title: string | null
  used: number
  cost: number
  /** The running turn. `force` also ends a turn that ignores cancel. */
  running: { cancel(force?: boolean): void } | null
}

export type SessionDeps = { directory: string; speed: Speed }

export function newSession(deps: SessionDeps, cwd: string): PracticeSession {
  const session = blank(deps, randomUUID(), cwd)
  session.history.append({ type: 'session', id: session.id, cwd })
  return session
}

/** The stored conversation with its entries; null if there is none with that id. */
export function storedSession(
  deps: SessionDeps,
  id: string,
  cwd: string,
): { session: PracticeSession; entries: HistoryEntry[] } | null {
  const entries = readHistory(deps.directory, id)
  if (!entries) return null
  const session = blank(deps, id, cwd)
  for (const entry of entries) take(session, entry)
  return { session, entries }
}

/** A new conversation that starts as a copy of another. */
export function forkedSession(deps: SessionDeps, id: string, cwd: string): PracticeSession | null {
  const entries = readHistory(deps.directory, id)
  if (!entries) return null
  const session = newSession(deps, cwd)
  for (const entry of entries) {
    if (entry.type === 'session') continue
    take(session, entry)
    session.history.append(entry)
  }
  session.history.flush()
  return session
}

const blank = ({ directory, speed }: SessionDeps, id: string, cwd: string): PracticeSession => ({
  id,
  cwd,
  history: openHistory(directory, id),
  memory: [],
  always: new Set(),
  modeId: 'careful',
  speed,
  title: null,
  used: 0,
  cost: 0,
  running: null,
})

function take(session: PracticeSession, entry: HistoryEntry): void {
  if (entry.type === 'memory') session.memory.push(entry.text)
  if (entry.type === 'title') session.title = entry.title
  if (entry.type === 'spent') {
    session.used = entry.used
    session.cost = entry.cost
  }
}
