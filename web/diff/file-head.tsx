import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'
import { shownName } from './hidden-characters.ts'
import type { DiffFile } from './diff-model.ts'

const changes = {
  added: 'new',
  modified: null,
  deleted: 'deleted',
  renamed: 'renamed',
  copied: 'copied',
  unread: 'not a diff',
} as const

export const Counts = ({ added, removed }: { added: number; removed: number }) => (
  <span className="diff-counts">
    <span className="diff-count-added" aria-label={`${added} lines added`} role="img">{`+${added}`}</span>
    <span className="diff-count-removed" aria-label={`${removed} lines removed`} role="img">{`−${removed}`}</span>
  </span>
)

type Props = {
  file: DiffFile
  notes: readonly string[]
  warnings: readonly string[]
  open: boolean
  bodyId: string
  toggle: () => void
  /** Further controls. */
  children?: ReactNode
}

/** The name of a file, its kind of change, and the button that folds it. */
export const FileHead = ({ file, notes, warnings, open, bodyId, toggle, children }: Props) => (
  <div className="diff-file-head">
    <h3>
      <button type="button" className="diff-fold" aria-expanded={open} aria-controls={bodyId} onClick={toggle}>
        <Icon name={open ? 'down' : 'next'} className="size-4" />
        <span className="diff-path">
          {file.from !== null && <span className="diff-from">{`${shownName(file.from)} → `}</span>}
          <bdi>{shownName(file.path)}</bdi>
        </span>
      </button>
    </h3>
    <span className="diff-file-facts">
      {changes[file.change] && <span className={`diff-tag diff-tag-${file.change}`}>{changes[file.change]}</span>}
      {notes.map((note) => (
        <span key={note} className="diff-tag">
          {note}
        </span>
      ))}
      {warnings.map((warning) => (
        <span key={warning} className="diff-tag diff-tag-warn">
          {warning}
        </span>
      ))}
      {file.added + file.removed > 0 && <Counts added={file.added} removed={file.removed} />}
    </span>
    {children}
  </div>
)
