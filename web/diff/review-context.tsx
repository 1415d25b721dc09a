import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react'
import { placeKey, type DiffReview, type LineComment, type LinePlace } from './line-comments.ts'

/** A comment being written. `line` null: its number is typed too. */
type Draft = { file: string; side: LinePlace['side']; line: number | null }
type Reviewing = { review: DiffReview; draft: Draft | null; setDraft: (draft: Draft | null) => void }

const ReviewContext = createContext<Reviewing | null>(null)
const FileContext = createContext<string>('')

export function ReviewProvider({ review, children }: { review: DiffReview | null; children: ReactNode }) {
  const [draft, setDraft] = useState<Draft | null>(null)
  const value = useMemo(() => (review === null ? null : { review, draft, setDraft }), [review, draft])
  return <ReviewContext value={value}>{children}</ReviewContext>
}

export const FileProvider = ({ path, children }: { path: string; children: ReactNode }) => (
  <FileContext value={path}>{children}</FileContext>
)

/** The review of the file around; null if the diff is only shown. */
export function useFileReview() {
  const reviewing = use(ReviewContext)
  const file = use(FileContext)
  const { review, draft = null, setDraft } = reviewing ?? {}
  const comments = useMemo(
    () =>
      new Map(
        review?.comments
          .filter((said) => said.file === file)
          .map((said): [string, LineComment] => [placeKey(said), said]),
      ),
    [review?.comments, file],
  )
  const start = useCallback(
    (place: Pick<LinePlace, 'side' | 'line'> | null) =>
      setDraft?.({ file, side: place?.side ?? 'new', line: place?.line ?? null }),
    [setDraft, file],
  )
  if (!review || !setDraft) return null
  return {
    comments,
    draft: draft?.file === file ? draft : null,
    viewed: review.viewed.has(file),
    setViewed: (viewed: boolean) => review.setViewed(file, viewed),
    canComment: review.comment !== null,
    start,
    close: () => setDraft(null),
    save(place: Pick<LinePlace, 'side' | 'line'>, quoted: string, text: string) {
      review.comment?.({ ...place, file, quoted, text })
      setDraft(null)
    },
  }
}
export type FileReview = NonNullable<ReturnType<typeof useFileReview>>
