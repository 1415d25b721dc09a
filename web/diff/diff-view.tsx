import {
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  useLayoutEffect,
  type RefObject,
  type ReactNode,
} from 'react'
import './diff.css'
import './diff-lines.css'
import { browserStorage } from '../app/browser-storage.ts'
import { FileView, type ViewOptions } from './file-view.tsx'
import { shownName } from './hidden-characters.ts'
import { readDiff, readWhole } from './read-diff.ts'
import { keepChoice, narrowBelow, readChoice, widthClassOf, type ViewChoice, type WidthClass } from './view-settings.ts'
import { useFiles } from './use-files.ts'
import { Counts } from './file-head.tsx'
import { FileList } from './file-list.tsx'
import type { DiffReview } from './line-comments.ts'
import { ReviewProvider } from './review-context.tsx'
import { Icon } from '../ui/icon.tsx'

export type DiffProps = {
  diff: string
  /** The resulting content, if known: it provides the lines that the diff leaves out. */
  whole?: string | undefined
  /** Name for a file that has none. */
  label?: string
  /** Comments and viewed files, if it is being reviewed. */
  review?: DiffReview | null
}

/** A diff of any number of files, or the whole content of a new one. */
export function DiffView({ diff, whole, label, review = null }: DiffProps) {
  const root = useRef<HTMLElement>(null)
  const width = useWidth(root)
  const read = useMemo(() => {
    const name = label ?? 'Unnamed file'
    return whole === undefined ? { ...readDiff(diff, name), misfit: false } : readWhole(diff, whole, name)
  }, [diff, whole, label])
  const files = useFiles(root, read.files.length, () => read.files.filter(({ path }) => review?.viewed.has(path)))
  const [chosen, setChosen] = useState<Partial<Record<WidthClass, ViewChoice>>>({})
  const [ignoreWhiteSpace, setIgnoreWhiteSpace] = useState(false)
  const [listOpen, setListOpen] = useState(false)
  const listId = useId()

  const room = widthClassOf(width ?? 0)
  const isNarrow = (width ?? 0) < narrowBelow
  const choice = useMemo(() => chosen[room] ?? readChoice(room, browserStorage), [chosen, room])
  const choose = (next: ViewChoice) => {
    setChosen({ ...chosen, [room]: next })
    keepChoice(room, next, browserStorage)
  }
  const shown = useMemo(
    (): ViewOptions => ({
      split: choice.layout === 'split' && !isNarrow,
      narrow: isNarrow,
      wrap: choice.wrap,
      width: width ?? 0,
      ignoreWhiteSpace,
    }),
    [choice, width, isNarrow, ignoreWhiteSpace],
  )
  const sums = useMemo(
    () => ({
      added: read.files.reduce((sum, { added }) => sum + added, 0),
      removed: read.files.reduce((sum, { removed }) => sum + removed, 0),
    }),
    [read],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
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
    <ReviewProvider review={review}>
      <section
        ref={root}
        className="diff"
        aria-label={`Changes: ${shownName(label ?? 'an unnamed file')}`}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <Toolbar
          files={read.files.length}
          viewed={review && read.files.filter(({ path }) => review.viewed.has(path)).length}
          {...sums}
          choice={choice}
          choose={choose}
          canSplit={!isNarrow}
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
        {listOpen && <FileList id={listId} files={read.files} viewed={review?.viewed ?? none} go={go} />}
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
    </ReviewProvider>
  )
}

const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'checkbox')

/** Width of an element, in steps; null until it is mounted, which is before the first paint. */
function useWidth(element: RefObject<Element | null>): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    const watched = element.current
    if (watched === null) return undefined
    const measure = (): void => setWidth(Math.floor(watched.getBoundingClientRect().width / 20) * 20)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element])
  return width
}

const none: ReadonlySet<string> = new Set()

type ToolbarProps = {
  files: number
  /** Null: it is not being reviewed. */
  viewed: number | null
  added: number
  removed: number
  choice: ViewChoice
  choose: (choice: ViewChoice) => void
  canSplit: boolean
  ignoreWhiteSpace: boolean
  setIgnoreWhiteSpace: (ignore: boolean) => void
  listOpen: boolean
  listId: string
  toggleList: () => void
}

/** Summary of the diff, its list of files, and view options. */
function Toolbar(props: ToolbarProps) {
  const { files, added, removed, choice, choose } = props
  return (
    <div className="diff-toolbar" role="group" aria-label="View options">
      {files > 1 ? (
        <button
          type="button"
          className="diff-button"
          aria-expanded={props.listOpen}
          aria-controls={props.listId}
          onClick={props.toggleList}
        >
          <Icon name="list" className="size-4" />
          {`${files.toLocaleString('en')} files`}
        </button>
      ) : (
        <span className="diff-one-file">1 file</span>
      )}
      <Counts added={added} removed={removed} />
      {props.viewed !== null && files > 1 && (
        <span className="diff-one-file">{`${props.viewed} of ${files} viewed`}</span>
      )}
      <div className="diff-group diff-options">
        {props.canSplit && (
          <Toggle on={choice.layout === 'split'} set={(on) => choose({ ...choice, layout: on ? 'split' : 'unified' })}>
            Split
          </Toggle>
        )}
        <Toggle on={choice.wrap} set={(wrap) => choose({ ...choice, wrap })}>
          Wrap lines
        </Toggle>
        <Toggle on={props.ignoreWhiteSpace} set={props.setIgnoreWhiteSpace}>
          Ignore whitespace
        </Toggle>
      </div>
    </div>
  )
}

const Toggle = ({ on, set, children }: { on: boolean; set: (on: boolean) => void; children: ReactNode }) => (
  <button type="button" className="diff-button" aria-pressed={on} onClick={() => set(!on)}>
    {children}
  </button>
)
