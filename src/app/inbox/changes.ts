import type { AskId } from '../../domain/ask/id.ts'
import type { AskSubject } from '../../domain/ask/subject.ts'
import { diffStat, type FileStat, editStat } from '../../lib/diff-stat.ts'
import type { Executor } from '../../db/open.ts'
import { isConsent } from '../../domain/ask/answer.ts'
import { decidedChanges } from '../../domain/ask/query.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { toolsWithDiffs } from '../../domain/message/query.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'

export type Changes = { added: number; removed: number; files: FileStat[] }

const mostFiles = 200
const mostKept = 1000

/** What an ask would change, if it has a diff. The subject of an ask never changes, so it is counted once. */
export function createChanges(): (id: AskId, subject: AskSubject, root: string | null) => Changes | null {
  const counted = new Map<AskId, Changes | null>()
  return (id, subject, root) => {
    const known = counted.get(id)
    if (known !== undefined) return known
    const changes = changesOf(subject, root)
    counted.set(id, changes)
    const [oldest] = counted.keys()
    if (counted.size > mostKept && oldest !== undefined) counted.delete(oldest)
    return changes
  }
}

function changesOf(subject: AskSubject, root: string | null): Changes | null {
  const files = within(root, filesOf(subject))
  if (files.length === 0) return null
  const sum = (count: (file: FileStat) => number) => files.reduce((total, file) => total + count(file), 0)
  return {
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
    files: files.slice(0, mostFiles),
  }
}

/** Each file once, in order of first mention. */
export function filesOf(subject: AskSubject): FileStat[] {
  if (subject.kind === 'diff') {
    const { diff, preview, filePath, files } = subject
    const isNew = files.find(({ path }) => path === filePath)?.hash === 'new_file'
    const found = diffStat(preview ?? diff, filePath)
    if (found.length > 0) return merged(found)
    // Whole content, with nothing to compare it to.
    const added = diff === '' ? 0 : diff.replace(/\n$/, '').split('\n').length
    return [{ path: filePath, change: isNew ? 'added' : 'modified', added, removed: 0 }]
  }
  if (subject.kind !== 'permission') return []
  const { content } = (subject.toolCall ?? {}) as { content?: unknown }
  return merged(editsShown(content))
}

function merged(files: readonly FileStat[]): FileStat[] {
  const byPath = new Map<string, FileStat>()
  for (const file of files) {
    const before = byPath.get(file.path)
    byPath.set(
      file.path,
      before ? { ...before, added: before.added + file.added, removed: before.removed + file.removed } : file,
    )
  }
  return [...byPath.values()]
}

const mostEdits = 2000
/** This much text is compared line by line; the rest is counted roughly. */
const comparedText = 500_000

/** The file edits that an agent's tool call shows. */
export function editsShown(content: unknown): FileStat[] {
  if (!Array.isArray(content)) return []
  let compared = 0
  return content.slice(0, mostEdits).flatMap((entry: unknown) => {
    const { type, path, oldText, newText } = (entry ?? {}) as Record<string, unknown>
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return []
    const before = typeof oldText === 'string' ? oldText : null
    const rough = compared > comparedText
    // Even a short comparison may use its whole time limit.
    compared += Math.max((before?.length ?? 0) + newText.length, comparedText / 100)
    return [editStat(path, before, newText, rough)]
  })
}

/** Paths as people write them: relative to the workspace if they are in it. */
export const within = (root: string | null, files: readonly FileStat[]): FileStat[] =>
  files.map(({ path, change, added, removed }) => ({ path: shortPath(root, path), change, added, removed }))

const shortPath = (root: string | null, path: string): string =>
  root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path

type TouchedFile = FileStat & { askId: AskId | null; at: string; undone: boolean }

/** Files changed in a session, by approved asks and by its agent's tool calls: each once, newest first. */
export async function sessionFiles(db: Executor, id: SessionId, root: string): Promise<TouchedFile[]> {
  const asks = await decidedChanges(db, id)
  const applied = asks
    .filter(({ status, subject }) => status === 'consumed' && subject.kind === 'diff')
    .flatMap((ask) => touched(root, filesOf(ask.subject), about(ask, ask.consumedAt ?? ask.createdAt)))
  const permitted = new Map(asks.flatMap((ask) => permittedCall(ask).map((call) => [call, ask] as const)))
  const done: TouchedFile[] = []
  for await (const { content, timestamp } of toolsWithDiffs(db, id)) {
    if (content.type !== 'tool' || content.status !== 'completed') continue
    const ask = permitted.get(content.toolCallId ?? '')
    const by = ask ? about(ask, ask.answeredAt ?? timestamp) : { askId: null, at: timestamp, undone: false }
    done.push(...touched(root, editsShown(content.content), by))
    await yieldToOthers()
  }
  const newestFirst = [...applied, ...done].toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  const byPath = new Map<string, TouchedFile>()
  for (const file of newestFirst) if (!byPath.has(file.path)) byPath.set(file.path, file)
  return [...byPath.values()]
}

type By = Pick<TouchedFile, 'askId' | 'at' | 'undone'>

const about = (ask: Ask, at: string): By => ({ askId: ask.id, at, undone: ask.undoneAt !== null })

const touched = (root: string, files: readonly FileStat[], by: By): TouchedFile[] =>
  within(root, files).map((file) => Object.assign(file, by))

/** The agent's tool call that a person allowed. */
function permittedCall({ subject, answer }: Ask): string[] {
  if (subject.kind !== 'permission' || answer === null || !isConsent(subject, answer)) return []
  const { toolCallId } = (subject.toolCall ?? {}) as { toolCallId?: unknown }
  return typeof toolCallId === 'string' ? [toolCallId] : []
}
