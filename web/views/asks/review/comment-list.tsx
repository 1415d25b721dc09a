import type { LineComment } from '../../../diff/line-comments.ts'
import { clip, safeText } from '../../../ui/safe-text.ts'

/** The comments that go with the answer. */
export const CommentList = ({ comments }: { comments: readonly LineComment[] }) =>
  comments.length === 0 ? null : (
    <section aria-label="Comments that are sent" className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">{commentCount(comments)}</h3>
      <ul className="flex max-h-60 flex-col gap-2 overflow-y-auto text-sm">
        {comments.map(({ file, side, line, quoted, text }) => (
          <li key={`${file} ${side} ${line}`} className="rounded-lg border border-line p-2">
            <p className="font-mono text-xs break-all text-soft">
              {safeText(file)}:{line}
              {side === 'old' && ' (removed)'}
            </p>
            <p className="truncate font-mono text-xs text-soft">{clip(safeText(quoted), 200)}</p>
            <p className="break-words whitespace-pre-wrap">{safeText(text)}</p>
          </li>
        ))}
      </ul>
    </section>
  )

export const commentCount = ({ length }: { length: number }): string =>
  length === 1 ? '1 comment' : `${length} comments`
