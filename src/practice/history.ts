import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { ListSessionsRequest, ListSessionsResponse, SessionUpdate } from '@agentclientprotocol/sdk/unstable'
import { isTaggedBy, jsonOrNull } from '../lib/parse-json.ts'

/** One line of a conversation's file. */
export type HistoryEntry =
  | { type: 'session'; id: string; cwd: string }
  | { type: 'title'; title: string }
  | { type: 'update'; update: SessionUpdate }
  | { type: 'memory'; text: string }
  | { type: 'spent'; used: number; cost: number }

/** A conversation on disk, which a later process can load. */
export type History = {
  append(entry: HistoryEntry): void
  /** Writes buffered text. */
  flush(): void
}

const mostGathered = 16 * 1024
const mostListed = 500

export function historyDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const state = env['XDG_STATE_HOME'] ?? ''
  return join(isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'signalbox-practice')
}

/** Chunks of one text are joined into few lines; everything else is written at once. */
export function openHistory(directory: string, id: string): History {
  let gathered: { kind: TextKind; text: string } | null = null
  let isBroken = false

  function write(entry: HistoryEntry): void {
    if (isBroken) return
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      appendFileSync(fileOf(directory, id), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    } catch (error) {
      isBroken = true
      const why = error instanceof Error ? error.message : String(error)
      process.stderr.write(`The conversation can't be kept (${why}): it can't be loaded or resumed later.\n`)
    }
  }
  function flush(): void {
    if (!gathered) return
    const { kind, text } = gathered
    gathered = null
    write({ type: 'update', update: { sessionUpdate: kind, content: { type: 'text', text } } })
  }
  return {
    append(entry) {
      const chunk = textOf(entry)
      if (!chunk || gathered?.kind !== chunk.kind) flush()
      if (!chunk) return write(entry)
      gathered = { kind: chunk.kind, text: (gathered?.text ?? '') + chunk.text }
      if (gathered.text.length >= mostGathered) flush()
    },
    flush,
  }
}

/** Null if there is no such conversation; invalid lines are skipped. */
export function readHistory(directory: string, id: string): HistoryEntry[] | null {
  if (!/^[\w-]{1,100}$/.test(id)) return null
  try {
    const entries = readFileSync(fileOf(directory, id), 'utf8').split('\n').flatMap(parse)
    return entries[0]?.type === 'session' ? entries : null
  } catch {
    return null
  }
}

/** The newest, newest first. */
function listHistories(directory: string): { id: string; updatedAt: string }[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => ({ id: name.slice(0, -'.jsonl'.length), updatedAt: changedAt(join(directory, name)) }))
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
      .slice(0, mostListed)
  } catch {
    return []
  }
}

const pageSize = 50

/** The conversations on disk, newest first. The cursor is an offset. */
export function listSessions(directory: string, { cwd, cursor }: ListSessionsRequest): ListSessionsResponse {
  const from = Number(cursor ?? 0) || 0
  const all = listHistories(directory).flatMap(({ id, updatedAt }) => {
    const entries = readHistory(directory, id)
    const head = entries?.[0]
    if (!entries || head?.type !== 'session' || (cwd && head.cwd !== cwd)) return []
    const title = entries.find((entry) => entry.type === 'title')?.title
    return [{ sessionId: id, cwd: head.cwd, updatedAt, ...(title === undefined ? {} : { title }) }]
  })
  const end = from + pageSize
  return { sessions: all.slice(from, end), ...(end < all.length ? { nextCursor: String(end) } : {}) }
}

const fileOf = (directory: string, id: string): string => join(directory, `${id}.jsonl`)

const changedAt = (path: string): string =>
  (statSync(path, { throwIfNoEntry: false })?.mtime ?? new Date(0)).toISOString()

function parse(line: string): HistoryEntry[] {
  const entry = jsonOrNull(line, isTaggedBy<HistoryEntry>('type'))
  return entry ? [entry] : []
}

type TextKind = 'agent_message_chunk' | 'agent_thought_chunk'

function textOf(entry: HistoryEntry): { kind: TextKind; text: string } | null {
  if (entry.type !== 'update') return null
  const { update } = entry
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk') return null
  return update.content.type === 'text' ? { kind: update.sessionUpdate, text: update.content.text } : null
}
