import { useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import './diff.css'
import './diff-lines.css'
import { browserStorage } from '../app/browser-storage.ts'
import { FileList } from './file-list.tsx'
import { FileView, type ViewOptions } from './file-view.tsx'
import { shownName } from './hidden-characters.ts'
import { readDiff, readWhole } from './read-diff.ts'
import { keepChoice, readChoice, widthClassOf, type ViewChoice, type WidthClass } from './view-settings.ts'
import { Toolbar } from './toolbar.tsx'
import { useFiles } from './use-files.ts'
import { useWidth } from './use-width.ts'

export type DiffProps = {
  diff: string
  /** The resulting content, if known: it provides the lines that the diff leaves out. */
  whole?: string | undefined
  /** Name for a file that has none. */
  label?: string
}

/** A diff of any number of files, or the whole content of a new one. */
export function DiffView({ diff, whole, label }: DiffProps) {
  const root = useRef<HTMLElement>(null)
  const width = useWidth(root)
  const read = useMemo(() => {
    const name = label ?? 'Unnamed file'
    return whole === undefined ? { ...readDiff(diff, name), misfit: false } : readWhole(diff, whole, name)
  }, [diff, whole, label])
  const files = useFiles(root, read.files.length)
  const [chosen, setChosen] = useState<Partial<Record<WidthClass, ViewChoice>>>({})
  const [ignoreWhiteSpace, setIgnoreWhiteSpace] = useState(false)
  const [listOpen, setListOpen] = useState(false)
  const listId = useId()

  const room = widthClassOf(width ?? 0)
  const choice = useMemo(() => chosen[room] ?? readChoice(room, browserStorage), [chosen, room])
  const choose = (next: ViewChoice) => {
    setChosen({ ...chosen, [room]: next })
    keepChoice(room, next, browserStorage)
  }
  const shown = useMemo(
    (): ViewOptions => ({
      split: choice.layout === 'split',
      narrow: (width ?? 0) < 600,
      wrap: choice.wrap,
      width: width ?? 0,
      ignoreWhiteSpace,
    }),
    [choice, width, ignoreWhiteSpace],
  )
  const sums = useMemo(
    () => ({
      added: read.files.reduce((sum, { added }) => sum + added, 0),
      removed: read.files.reduce((sum, { removed }) => sum + removed, 0),
    }),
    [read],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return
    if (event.key !== ']' && event.key !== '[') return
    event.preventDefault()
    event.stopPropagation()
    files.move(event.key === ']' ? 1 : -1)
  }
  const go = (index: number) => {
    setListOpen(false)
    files.go(index)
  }

  return (
    <section
      ref={root}
      className="diff"
      aria-label={`Changes: ${shownName(label ?? 'an unnamed file')}`}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <Toolbar
        files={read.files.length}
        {...sums}
        choice={choice}
        choose={choose}
        ignoreWhiteSpace={ignoreWhiteSpace}
        setIgnoreWhiteSpace={setIgnoreWhiteSpace}
        listOpen={listOpen}
        listId={listId}
        toggleList={() => setListOpen(!listOpen)}
      />
      {read.misfit && (
        <p className="diff-says diff-says-warn">
          The diff does not match the change. This is the full text that would be written.
        </p>
      )}
      {listOpen && <FileList id={listId} files={read.files} go={go} />}
      {width !== null &&
        read.files
          .slice(0, files.shown)
          .map((file, index) => (
            <FileView
              key={index}
              file={file}
              shown={shown}
              open={!files.folded.has(file)}
              toggle={files.toggle}
              index={index}
              last={read.files.length - 1}
              go={files.go}
            />
          ))}
      {read.files.length > files.shown && (
        <button type="button" className="diff-button" onClick={files.showMore}>
          {`Show more files (${(read.files.length - files.shown).toLocaleString('en')} left)`}
        </button>
      )}
      {read.leftOut > 0 && (
        <p className="diff-says diff-says-warn">
          {`${read.leftOut.toLocaleString('en')} more lines are not shown: the diff is too large for a page. Read all of it on the command line before you approve it.`}
        </p>
      )}
    </section>
  )
}
