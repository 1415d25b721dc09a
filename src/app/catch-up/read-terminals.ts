import type { SessionId } from '../../domain/session/id.ts'
import type { Terminal } from '../../domain/terminal/schema.ts'
import type { Actor } from '../../domain/user/actor.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { Detection, Printed, Terminals } from '../terminals.ts'
import { markName, promptMark, type TerminalMark } from './cursor.ts'
import { item, oneLine, type Item } from './item.ts'
import { itemsOfOutput } from './output.ts'
import { errorsBetween, offsetOf, skipAhead } from './skip-ahead.ts'

const linesAPage = 1000
const mostPages = 20
/** Pages read from all terminals in one look; a search counts as several. The rest is reported the next time. */
const mostWork = 300
const workOfSearch = 10
const mostContext = 10
/** Limit for output that is searched by time. */
const mostFound = 100
const longestPrompt = 1000

export type TerminalsRead = {
  readonly items: readonly Item[]
  readonly marks: ReadonlyMap<string, TerminalMark>
  readonly waiting: number
  readonly more: boolean
}
type TerminalEntry = { terminal: Terminal; detection: Detection | null }
export type TerminalMeans = Pick<Terminals, 'list' | 'get' | 'updates' | 'printed' | 'screen' | 'search'>
type Means = TerminalMeans

/** What terminals printed since, and what they are waiting for now. */
export async function readTerminals(
  terminals: Means,
  actor: Actor,
  from: {
    marks: ReadonlyMap<string, TerminalMark>
    since: string | null
    sessionId: SessionId | null
    /** Terminals that ended in the meantime, according to the log: read to their end, and not again. */
    closed: ReadonlySet<SessionId>
    now: string
  },
): Promise<Result<TerminalsRead>> {
  const found = await entries(terminals, actor, from.sessionId)
  if (!found.ok) return found
  const items: Item[] = []
  const marks = new Map<string, TerminalMark>()
  let waiting = 0
  let more = false
  let work = mostWork
  for (const entry of found.value) {
    const { sessionId, state } = entry.terminal
    const mark = from.marks.get(markName(sessionId)) ?? null
    if (state === 'stopped' && mark === null && !from.closed.has(sessionId)) continue
    if (work <= 0) {
      marks.set(markName(sessionId), mark ?? { cursor: null, prompt: null })
      more = true
      continue
    }
    const isOld = from.since !== null && mark === null && entry.terminal.startTime < from.since
    const output = isOld
      ? await readSince(terminals, entry, { since: from.since ?? '', actor })
      : await readOutput(terminals, entry, { cursor: mark?.cursor ?? null, now: from.now, actor })
    work -= output.work
    const prompt = isAsking(entry.detection) ? entry.detection : null
    const promptId = prompt?.promptId ?? null
    const name = promptId === null ? null : promptMark(promptId)
    if (prompt !== null && prompt.promptType !== 'command') waiting += 1
    items.push(...output.items)
    if (prompt !== null && name !== null && name !== mark?.prompt)
      items.push(await promptItem(terminals, entry.terminal, prompt, actor))
    more ||= output.more
    if (!from.closed.has(sessionId) || output.more)
      marks.set(markName(sessionId), { cursor: output.cursor, prompt: name })
  }
  return ok({ items, marks, waiting, more })
}

async function entries(terminals: Means, actor: Actor, sessionId: SessionId | null): Promise<Result<TerminalEntry[]>> {
  if (sessionId === null) return terminals.list(actor, {})
  // A session that is not a terminal has no output.
  const one = await terminals.get(sessionId, actor)
  return ok(one.ok ? [one.value] : [])
}

const isAsking = (detection: Detection | null): detection is Detection =>
  detection !== null && detection.waiting && detection.state === 'waiting'

type OutputItems = { items: Item[]; cursor: string | null; more: boolean; work: number }

async function readOutput(
  terminals: Means,
  { terminal, detection }: TerminalEntry,
  { cursor: from, now, actor }: { cursor: string | null; now: string; actor: Actor },
): Promise<OutputItems> {
  const { sessionId } = terminal
  const items: Item[] = []
  let lines: Printed[] = []
  let cursor = from
  let skipped = false
  let work = 0
  const told = (rest: readonly Printed[]): Item[] => [...items, ...itemsOfOutput(rest, sessionId)]
  for (let pages = 1; ; pages += 1) {
    work += 1
    const read = await terminals.printed(sessionId, { cursor, maxLines: linesAPage }, actor)
    if (!read.ok) {
      const text = `The output can't be read: ${read.fault.message}`
      const error = item({ at: now, sessionId, severity: 'high', kind: 'error', text, likeness: text })
      return { items: [...told(lines), error], cursor, more: false, work }
    }
    const { hasMore, truncated, epoch } = read.value
    const at = read.value.lines[0]?.at ?? now
    cursor = read.value.cursor
    lines.push(...read.value.lines)
    if (truncated && from !== null)
      items.push(item({ at, sessionId, severity: 'medium', kind: 'output', text: 'Some output is no longer kept' }))
    if (!hasMore) return { items: told(withoutPrompt(lines, detection)), cursor, more: false, work }
    if (pages < mostPages) continue
    // A terminal that prints as fast as it is read is reported up to now.
    if (skipped) return { items: told(lines), cursor, more: false, work }
    const ahead = epoch === terminal.epoch ? await skipAhead(terminals, { sessionId, cursor, actor }) : null
    work += 2 * workOfSearch
    if (ahead === null) return { items: told(lines), cursor, more: true, work }
    items.push(...itemsOfOutput(lines, sessionId), ...ahead.items)
    lines = []
    cursor = ahead.cursor
    skipped = true
    pages = 0
  }
}

/** For a terminal that started before the given time: its last lines since then, and its current cursor. */
async function readSince(
  terminals: Means,
  { terminal, detection }: TerminalEntry,
  { since, actor }: { since: string; actor: Actor },
): Promise<OutputItems> {
  const { sessionId, state } = terminal
  // An ended terminal is read to its end and needs no cursor.
  const screen = { cursor: null, maxLines: 1, format: 'screen' as const }
  const now = state === 'active' ? await terminals.updates(sessionId, screen, actor) : null
  const cursor = now?.ok ? now.value.cursor : null
  const end = cursor === null ? Number.MAX_SAFE_INTEGER : offsetOf(cursor)
  const query = { query: String.raw`\S`, regex: true, sessionId, since, until: null, contextLines: 0 }
  const found = await terminals.search({ ...query, maxResults: mostFound }, actor)
  if (!found.ok) return { items: [], cursor, more: false, work: workOfSearch }
  // Output after the cursor is reported the next time.
  const lines = found.value.matches.filter(({ offset }) => offset < end).toReversed()
  const [first] = lines
  const before = first && found.value.truncated ? { sessionId, since, from: 0, to: first.offset, actor } : null
  const errors = before ? await errorsBetween(terminals, before) : []
  const items = [...errors, ...itemsOfOutput(withoutPrompt(lines, detection), sessionId)]
  return { items, cursor, more: false, work: (before ? 2 : 1) * workOfSearch }
}

/** The prompt's own line is left out: it is reported as a prompt. */
function withoutPrompt(lines: readonly Printed[], detection: Detection | null): readonly Printed[] {
  if (!isAsking(detection)) return lines
  const end = lines.findLastIndex(({ line }) => line.trim() !== '')
  const last = lines[end]?.line.trim() ?? ''
  return last !== '' && detection.promptText.includes(last) ? lines.slice(0, end) : lines
}

async function promptItem(
  terminals: Means,
  { sessionId, name, command }: Terminal,
  prompt: Detection,
  actor: Actor,
): Promise<Item> {
  const shown = await terminals.screen(sessionId, 'text', actor)
  const lines = shown.ok ? shown.value.screen.split('\n').map((line) => line.trimEnd()) : []
  const what = name ?? command?.[0] ?? 'The terminal'
  const idle = prompt.promptType === 'command'
  const danger = prompt.isDangerous ? ` (dangerous: ${prompt.dangerReason ?? 'check it carefully'})` : ''
  return item({
    at: prompt.timestamp,
    sessionId,
    // A shell waiting for its next command asks nobody.
    severity: prompt.isDangerous ? 'critical' : idle ? 'low' : 'high',
    kind: 'prompt',
    text: `${oneLine(what, 60)} is waiting for ${waitsFor[prompt.promptType]}${danger}: ${prompt.promptText.slice(0, longestPrompt)}`,
    context: idle ? [] : lines.filter((line) => line !== '').slice(-mostContext),
  })
}

const waitsFor: Readonly<Record<Detection['promptType'], string>> = {
  password: 'a password',
  yes_no: 'yes or no',
  choice: 'a choice',
  path: 'a path',
  text: 'text',
  command: 'a command',
  unknown: 'input',
}
