import type { Changes } from '../../../src/client/contract/inbox.ts'
import { safeText } from '../../ui/safe-text.ts'

/** Size of a change, and its files. */
export function ChangeSize({ changes }: { changes: Changes }) {
  const [first, ...more] = changes.files
  return (
    <span className="flex min-w-0 items-baseline gap-2 font-mono text-[0.8rem]">
      <span className="shrink-0 font-semibold">
        <span className="text-add">+{changes.added}</span> <span className="text-del">−{changes.removed}</span>
      </span>
      {/* The end of a path is the most useful part. */}
      {first && (
        <span
          className="min-w-0 truncate text-soft [direction:rtl]"
          title={changes.files.map(({ path }) => safeText(path)).join('\n')}
        >
          <bdi>{safeText(first.path)}</bdi>
        </span>
      )}
      {more.length > 0 && <span className="shrink-0 text-soft">and {more.length} more</span>}
    </span>
  )
}
