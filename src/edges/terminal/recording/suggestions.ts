import { editDistance } from '../../../lib/edit-distance.ts'
import { isList, isRecord, isTextList, jsonOrNull } from '../../../lib/parse-json.ts'
import { searchWordsPath, type Segment } from './segment.ts'
import { tailOf, type SearchText } from './search-text.ts'
import { writeSidecar, type SidecarReader } from './sidecar.ts'

/** Of each length, in the order in which they were printed. */
const mostWords = 20_000
/** Words have 3 to 40 characters; shorter ones are too easy to confuse. */
const word = /[\p{L}\p{N}_-]{3,40}/gu
/** How different a suggestion may be. */
const mostEdits = 2

export type Words = {
  /** Adds the words of text in lower case. */
  add(text: string): void
  addCounted(other: string, count: number): void
  /** Whether words of this length are of interest. */
  wants(length: number): boolean
  nearest(): string[]
}

/** Words that were seen and may be meant by a query, to suggest one for a typo. */
export function createWords(query: string): Words {
  const wanted = query.toLowerCase().match(word) ?? []
  const seen = new Map<string, number>()
  const wants = (length: number) => wanted.some((one) => Math.abs(one.length - length) <= mostEdits)
  const byLength = new Map<number, number>()
  const addCounted = (other: string, count: number) => {
    const known = seen.get(other)
    const similar = byLength.get(other.length) ?? 0
    if (known === undefined && similar >= mostWords) return
    if (known === undefined) byLength.set(other.length, similar + 1)
    seen.set(other, (known ?? 0) + count)
  }
  return {
    wants,
    addCounted,
    add(text) {
      for (const [found] of text.matchAll(word)) if (wants(found.length)) addCounted(found, 1)
    },
    nearest() {
      const near = wanted.flatMap((one) =>
        [...seen].flatMap(([other, count]) => {
          const most = one.length <= 4 ? 1 : mostEdits
          const far = editDistance(one, other, most)
          return far > 0 && far <= most ? [{ other, far, count }] : []
        }),
      )
      near.sort((a, b) => a.far - b.far || b.count - a.count || (a.other < b.other ? -1 : 1))
      return [...new Set(near.map(({ other }) => other))].slice(0, 3)
    },
  }
}

/** More distinct words are not kept: such text is read again instead. */
const mostKept = 200_000

type Group = { words: string[]; counts: number[] }
type StoredHead = { position: number; tail: number; groups: [length: number, from: number, to: number][] }

const isHead = (value: unknown): value is StoredHead =>
  isRecord(value) &&
  typeof value['position'] === 'number' &&
  typeof value['tail'] === 'number' &&
  isList(value['groups'])
const isGroup = (value: unknown): value is Group =>
  isRecord(value) && isTextList(value['words']) && isList(value['counts'])

/** Adds the words that are kept beside a whole segment. False if there are none. */
export function addKeptWords(reader: SidecarReader, segment: Segment & { bytes: number }, words: Words): boolean {
  const kept = reader.read(searchWordsPath(segment))
  const head = kept && jsonOrNull(kept.head, isHead)
  if (!kept || !head || head.position !== segment.bytes || head.tail !== tailOf(segment, head.position)) return false
  for (const [length, from, to] of head.groups) {
    if (!words.wants(length)) continue
    const group = jsonOrNull(kept.body.toString('utf8', from, to), isGroup)
    for (const [index, other] of (group?.words ?? []).entries()) words.addCounted(other, group?.counts[index] ?? 1)
  }
  return true
}

/** Keeps the words of a search text that covers its whole segment, by their length: a query needs only similar ones. */
export function keepWords(segment: Segment, { body, position }: SearchText): void {
  const counts = new Map<string, number>()
  for (const [found] of body.toString().matchAll(word)) {
    counts.set(found, (counts.get(found) ?? 0) + 1)
    if (counts.size > mostKept) return
  }
  const byLength = new Map<number, Group>()
  for (const [found, count] of counts) {
    const group = byLength.get(found.length) ?? { words: [], counts: [] }
    group.words.push(found)
    group.counts.push(count)
    byLength.set(found.length, group)
  }
  const bodies: Buffer[] = []
  const groups: StoredHead['groups'] = []
  let at = 0
  for (const [length, group] of byLength) {
    const bytes = Buffer.from(JSON.stringify(group))
    bodies.push(bytes)
    groups.push([length, at, at + bytes.length])
    at += bytes.length
  }
  const tail = tailOf(segment, position)
  if (tail === null) return
  const head: StoredHead = { position, tail, groups }
  writeSidecar(searchWordsPath(segment), { head: JSON.stringify(head), body: Buffer.concat(bodies) }, segment)
}
