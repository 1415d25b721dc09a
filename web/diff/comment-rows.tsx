import { useState, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { safeText } from '../ui/safe-text.ts'
import type { DiffLine, ShownHunk } from './diff-model.ts'
import { lineAt, placeKey, placeOf } from './line-comments.ts'
import { useFileReview, type FileReview } from './review-context.tsx'

/** The comment on a line, or the form for one, below its line. Nothing for most lines. */
export function commentRow(review: FileReview | null, line: DiffLine | null, columns: number): ReactNode {
  const place = line && review ? placeOf(line) : null
  if (!review || !line || !place) return null
  const said = review.comments.get(placeKey(place))
  const isDraft = review.draft?.line === place.line && review.draft.side === place.side
  if (!said && !isDraft) return null
  const name = place.side === 'old' ? `removed line ${place.line}` : `line ${place.line}`
  return (
    <tr className="diff-comment">
      <td colSpan={columns}>
        <div className="diff-comment-box">
          {isDraft ? (
            <CommentForm
              label={`Comment on ${name}`}
              text={said?.text ?? ''}
              close={review.close}
              save={(text) => review.save(place, line.text, text)}
            />
          ) : (
            <section aria-label={`Your comment on ${name}`}>
              <p className="diff-comment-text">{safeText(said?.text ?? '')}</p>
              {review.canComment && (
                <div className="diff-group">
                  <button type="button" className="diff-inline-button" onClick={() => review.start(place)}>
                    Edit
                  </button>
                  <button
                    type="button"
                    className="diff-inline-button"
                    onClick={() => review.save(place, line.text, '')}
                  >
                    Remove
                  </button>
                </div>
              )}
            </section>
          )}
        </div>
      </td>
    </tr>
  )
}

type FormProps = { label: string; text: string; close: () => void; save: (text: string) => void; children?: ReactNode }

function CommentForm({ label, text: before, close, save, children }: FormProps) {
  const [text, setText] = useState(before)
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        save(text.trim())
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          close()
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          save(text.trim())
        }
      }}
    >
      {children}
      <TextArea label={label} rows={2} autoFocus value={text} onChange={({ target }) => setText(target.value)} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button tone="quiet" onClick={close}>
          Cancel
        </Button>
        <Button type="submit">Add comment</Button>
      </div>
    </form>
  )
}

/** For keyboards and thumbs: a comment on a line that is named by its number. */
export function NumberedComment({ hunks }: { hunks: readonly ShownHunk[] }) {
  const review = useFileReview()
  const [number, setNumber] = useState('')
  const [missing, setMissing] = useState(false)
  if (review?.draft?.line !== null || !review.canComment) return null
  const save = (text: string) => {
    const place = { side: 'new' as const, line: Number(number) }
    const line = lineAt(hunks, place)
    if (line && text !== '') review.save(place, line.text, text)
    else setMissing(!line)
  }
  return (
    <div className="diff-comment-box">
      <CommentForm label="Comment" text="" close={review.close} save={save}>
        <TextField
          label="Line"
          inputMode="numeric"
          className="max-w-32"
          value={number}
          error={missing ? 'This line is not in the diff.' : null}
          onChange={({ target }) => {
            setNumber(target.value)
            setMissing(false)
          }}
        />
      </CommentForm>
    </div>
  )
}

/** Ticks a file as viewed, and starts a comment. */
export function FileReviewButtons({ open, toggle }: { open: boolean; toggle: () => void }) {
  const review = useFileReview()
  if (!review) return null
  return (
    <span className="diff-group diff-review">
      {review.canComment && (
        <button
          type="button"
          className="diff-button"
          onClick={() => {
            if (!open) toggle()
            review.start(null)
          }}
        >
          Comment
        </button>
      )}
      <label className="diff-viewed">
        <input
          type="checkbox"
          checked={review.viewed}
          onChange={({ target }) => {
            review.setViewed(target.checked)
            // What was viewed is out of the way.
            if (target.checked === open) toggle()
          }}
        />
        Viewed
      </label>
    </span>
  )
}
