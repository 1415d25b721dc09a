import type { Executor } from '../../db/open.ts'
import { isConsent } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { decidedChanges } from '../../domain/ask/query.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { toolsWithDiffs } from '../../domain/message/query.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import type { FileStat } from '../../lib/diff-stat.ts'
import { filesOf, editsShown, within } from './changes.ts'

export type TouchedFile = FileStat & { askId: AskId | null; at: string; undone: boolean }

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
