import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { readDiff } from '../../../diff/read-diff.ts'
import { readToolCall, type Edit } from '../tool-call.ts'

/** The text that an ask proposes for each file: the whole of it, or what its diff shows of it. */
export function proposedTexts({ subject }: Pick<Ask, 'subject'>): ReadonlyMap<string, string> {
  if (subject.kind === 'permission')
    return new Map(readToolCall(subject.toolCall).edits.map(({ path, newText }) => [path, newText]))
  if (subject.kind !== 'diff') return new Map()
  if (subject.preview !== undefined) return new Map([[subject.filePath, subject.diff]])
  const { files } = readDiff(subject.diff, subject.filePath)
  return new Map(files.map(({ path, hunks }) => [path, hunks.map(resultOf).join('')]))
}

const resultOf = ({ lines }: { lines: readonly { op: string; text: string }[] }): string =>
  lines
    .filter(({ op }) => op !== '-')
    .map(({ text }) => `${text}\n`)
    .join('')

/** How a proposal differs from an earlier one; files that are the same in both are left out. */
export function changesBetween(before: Pick<Ask, 'subject'>, now: Pick<Ask, 'subject'>): Edit[] {
  const [earlier, later] = [proposedTexts(before), proposedTexts(now)]
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((path) => {
    const [oldText, newText] = [earlier.get(path), later.get(path) ?? '']
    return oldText === newText ? [] : [{ path, oldText: oldText ?? null, newText }]
  })
}

/** The last rejected change of any of these files, asked before this one. */
export function lastReviewed(asks: readonly Ask[], now: Ask): Ask | null {
  const files = new Set(proposedTexts(now).keys())
  const rejected = asks.filter(
    (ask) =>
      ask.id !== now.id &&
      ask.createdAt < now.createdAt &&
      wasRejected(ask) &&
      [...proposedTexts(ask).keys()].some((path) => files.has(path)),
  )
  return rejected.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0] ?? null
}

function wasRejected({ answer, subject }: Ask): boolean {
  if (answer?.outcome === 'reject') return true
  if (answer?.outcome !== 'select' || subject.kind !== 'permission') return false
  return subject.options.some(({ optionId, kind }) => optionId === answer.optionId && kind.startsWith('reject'))
}
