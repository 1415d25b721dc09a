import type { BrowserStorage } from '../../../app/browser-storage.ts'
import { reviewsName } from '../../../app/browser-storage.ts'
import { placeKey, type LineComment } from '../../../diff/line-comments.ts'
import { isRecord, jsonOrNull } from '../../../../src/lib/parse-json.ts'

/** What one person has said and viewed of one ask, before it is sent. */
export type Review = { readonly comments: readonly LineComment[]; readonly viewed: readonly string[] }

const none: Review = { comments: [], viewed: [] }
/** Reviews of older asks are forgotten. */
const mostKept = 100

/** Reviews in progress, kept in this browser. */
export function createReviewStore(storage: Pick<BrowserStorage, 'getItem' | 'setItem'>) {
  let known: ReadonlyMap<string, Review> | null = null
  const listeners = new Set<() => void>()
  const all = (): ReadonlyMap<string, Review> => (known ??= read(storage.getItem(reviewsName)))

  function set(askId: string, review: Review): void {
    const rest = [...all()].filter(([id]) => id !== askId)
    known = new Map([...rest, [askId, review] as const].slice(-mostKept))
    storage.setItem(reviewsName, JSON.stringify([...known]))
    for (const listener of listeners) listener()
  }

  const of = (askId: string): Review => all().get(askId) ?? none
  return {
    of,
    /** Replaces the comment on the same line; an empty text removes it. */
    comment(askId: string, said: LineComment): void {
      const { comments, viewed } = of(askId)
      const others = comments.filter((one) => one.file !== said.file || placeKey(one) !== placeKey(said))
      set(askId, { viewed, comments: said.text === '' ? others : [...others, said] })
    },
    setViewed(askId: string, file: string, isViewed: boolean): void {
      const { comments, viewed } = of(askId)
      const others = viewed.filter((one) => one !== file)
      set(askId, { comments, viewed: isViewed ? [...others, file] : others })
    },
    /** The comments were sent. */
    sent(askId: string): void {
      const { comments, viewed } = of(askId)
      if (comments.length > 0) set(askId, { comments: [], viewed })
    },
    listen(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function read(text: string | null): ReadonlyMap<string, Review> {
  const entries = jsonOrNull(text ?? 'null', (value): value is unknown[] => Array.isArray(value)) ?? []
  return new Map(
    entries.flatMap((entry): [string, Review][] => {
      const [id, review] = Array.isArray(entry) ? (entry as unknown[]) : []
      if (typeof id !== 'string' || !isRecord(review)) return []
      const { comments, viewed } = review
      return [
        [
          id,
          {
            comments: Array.isArray(comments) ? comments.filter(isComment) : [],
            viewed: Array.isArray(viewed) ? viewed.filter((one) => typeof one === 'string') : [],
          },
        ],
      ]
    }),
  )
}

const isComment = (value: unknown): value is LineComment =>
  isRecord(value) &&
  typeof value['file'] === 'string' &&
  (value['side'] === 'old' || value['side'] === 'new') &&
  typeof value['line'] === 'number' &&
  typeof value['quoted'] === 'string' &&
  typeof value['text'] === 'string'
