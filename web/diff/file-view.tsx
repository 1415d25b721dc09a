import { memo, useId, useMemo, useRef } from 'react'
import { Icon } from '../ui/icon.tsx'
import type { RowLook } from './chunk-rows.tsx'
import { highlightedLines } from './highlighted-lines.ts'
import { FileHead } from './file-head.tsx'
import { barHeight, FileTable, lineHeight } from './file-table.tsx'
import { shownName, countHidden } from './hidden-characters.ts'
import { pageHighlighter } from './highlighter.ts'
import { languageOf } from './language.ts'
import type { DiffFile, UnreadPart, ShownHunk, Op } from './diff-model.ts'
import { unfoldedLines } from './rows.ts'
import { FileReviewButtons, NumberedComment } from './comment-rows.tsx'
import { FileProvider } from './review-context.tsx'
import { useWasNear } from './use-near-screen.ts'
import { withoutWhiteSpace, countQuiet } from './white-space.ts'

export type ViewOptions = { split: boolean; narrow: boolean; wrap: boolean; width: number; ignoreWhiteSpace: boolean }

type Props = { file: DiffFile; shown: ViewOptions; open: boolean; toggle: (file: DiffFile) => void } & FilePosition

/** One file of a diff: its header, and its lines unless it is folded. */
export const FileView = memo(({ file, shown, open, toggle, index, last, go }: Props) => {
  const { split, narrow, wrap, width, ignoreWhiteSpace } = shown
  const bodyId = useId()
  const body = useRef<HTMLDivElement>(null)
  const reached = useWasNear(body, index === 0)
  const hunks = useMemo(() => (ignoreWhiteSpace ? withoutWhiteSpace(file.hunks) : file.hunks), [file, ignoreWhiteSpace])
  const { notes, warnings, markReturns } = useMemo(() => factsOf(file, hunks), [file, hunks])
  const colours = useMemo(() => highlightedLines(hunks, languageOf(file.path), pageHighlighter), [hunks, file])
  // With only one side there is nothing to split.
  const both = file.added > 0 && file.removed > 0
  const look = useMemo(
    (): RowLook => ({ split: split && both, narrow: narrow || !both, markReturns, asItCame: false }),
    [split, narrow, both, markReturns],
  )
  const name = shownName(file.path)
  const table = { name, wrap, width, atOnce: index === 0 }
  return (
    <FileProvider path={file.path}>
      <section className="diff-file" aria-label={name}>
        <FileHead file={file} notes={notes} warnings={warnings} open={open} bodyId={bodyId} toggle={() => toggle(file)}>
          {file.change !== 'unread' && <FileReviewButtons open={open} toggle={() => toggle(file)} />}
          {last > 0 && <FileNavigation index={index} last={last} go={go} />}
        </FileHead>
        <div id={bodyId} ref={body} hidden={!open} style={reached ? {} : { minHeight: guessedHeight(file) }}>
          {open && <NumberedComment hunks={hunks} />}
          {open && reached && hunks.length > 0 && <FileTable {...table} hunks={hunks} look={look} colours={colours} />}
          {open && reached && file.unread && (
            <UnreadLines unread={file.unread} whole={file.change === 'unread'} table={table} />
          )}
          {open && hunks.length === 0 && file.unread === null && <p className="diff-says">{emptyWords(file)}</p>}
        </div>
      </section>
    </FileProvider>
  )
})
FileView.displayName = 'FileView'

type UnreadProps = {
  unread: UnreadPart
  whole: boolean
  table: { name: string; wrap: boolean; width: number; atOnce: boolean }
}

const plain: RowLook = { split: false, narrow: true, markReturns: false, asItCame: true }

function UnreadLines({ unread, whole, table }: UnreadProps) {
  const hunks = useMemo(() => [unreadHunk(unread)], [unread])
  const colours = useMemo(() => highlightedLines(hunks, null, pageHighlighter), [hunks])
  return (
    <>
      <p className="diff-says diff-says-warn">
        {whole ? 'This part is not a diff' : `The diff can't be read from line ${unread.line} on`}. It is shown as
        received.
      </p>
      <FileTable {...table} hunks={hunks} look={plain} colours={colours} />
    </>
  )
}

/** Placeholder for a file that is not near the screen. */
const guessedHeight = ({ hunks, unread }: DiffFile): number =>
  hunks.reduce(
    (sum, { lines }) => sum + barHeight + unfoldedLines(lines) * lineHeight,
    (unread?.lines.length ?? 0) * lineHeight,
  )

function emptyWords(file: DiffFile): string {
  if (file.binary) return "Binary file: its content can't be shown."
  if (file.change === 'renamed') return 'Renamed without changes.'
  if (file.change === 'copied') return 'Copied without changes.'
  if (file.change === 'added') return 'A new, empty file.'
  if (file.change === 'deleted') return 'An empty file, deleted.'
  return file.oldMode === file.newMode ? 'No changes.' : 'Only its mode changed.'
}

/** Index of a file, and how to go to others. */
type FilePosition = { index: number; last: number; go: (index: number) => void }

/** Buttons to the previous and next file. */
const FileNavigation = ({ index, last, go }: FilePosition) => (
  <span className="diff-group">
    <StepButton icon="back" label="Previous file" keyName="[" disabled={index === 0} go={() => go(index - 1)} />
    <StepButton icon="next" label="Next file" keyName="]" disabled={index === last} go={() => go(index + 1)} />
  </span>
)

type StepProps = { icon: 'back' | 'next'; label: string; keyName: string; disabled: boolean; go: () => void }

const StepButton = ({ icon, label, keyName, disabled, go }: StepProps) => (
  <button
    type="button"
    className="diff-button diff-button-icon"
    aria-label={label}
    aria-keyshortcuts={keyName}
    title={`${label} (${keyName})`}
    disabled={disabled}
    onClick={go}
  >
    <Icon name={icon} className="size-4" />
  </button>
)

/** Unparsed lines, kept whole and coloured by their first character. */
const unreadHunk = ({ lines, line }: UnreadPart): ShownHunk => ({
  oldStart: 0,
  oldLines: 0,
  newStart: 0,
  newLines: 0,
  heading: '',
  lines: lines.map((text, index) => ({
    op: opOf(text),
    text,
    oldNumber: null,
    newNumber: line + index,
    ended: true,
  })),
})

const opOf = (text: string): Op => {
  if (/^(?:\+\+\+|---) /.test(text)) return ' '
  return text.startsWith('+') ? '+' : text.startsWith('-') ? '-' : ' '
}

type FileFacts = { notes: string[]; warnings: string[]; markReturns: boolean }

/** Facts about a file, shown before its lines. */
export function factsOf(file: DiffFile, hunks: readonly ShownHunk[]): FileFacts {
  const ends = lineEndsOf(file.hunks)
  const notes: string[] = []
  const mode = modeOf(file)
  if (mode !== null) notes.push(mode)
  if (file.binary) notes.push('binary')
  if (ends === 'crlf') notes.push('CRLF')
  if (ends === 'mixed') notes.push('mixed line ends')
  const quiet = countQuiet(hunks)
  if (quiet > 0) notes.push(`${quiet} ${quiet === 1 ? 'line' : 'lines'} with only white space changed`)
  const hidden = hiddenIn(file)
  const warnings = hidden > 0 ? [`${hidden} hidden ${hidden === 1 ? 'character' : 'characters'}`] : []
  return { notes, warnings, markReturns: ends === 'mixed' }
}

function modeOf({ oldMode, newMode, change }: DiffFile): string | null {
  const runs = (mode: string): boolean => mode.startsWith('1007')
  if (newMode !== null && newMode.startsWith('120')) return 'symbolic link'
  if (change === 'added') return newMode !== null && runs(newMode) ? 'executable' : null
  if (oldMode === null || newMode === null || oldMode === newMode) return null
  if (runs(oldMode) !== runs(newMode)) return runs(newMode) ? 'made executable' : 'no longer executable'
  return `mode ${oldMode} → ${newMode}`
}

/** Only new lines count: old ones can't be changed here. */
function hiddenIn(file: DiffFile): number {
  let count = countHidden(file.path)
  for (const { lines } of file.hunks)
    for (const { op, text } of lines)
      if (op === '+') count += countHidden(text.endsWith('\r') ? text.slice(0, -1) : text)
  for (const line of file.unread?.lines ?? []) count += countHidden(line.endsWith('\r') ? line.slice(0, -1) : line)
  return count
}

type LineEnds = 'lf' | 'crlf' | 'mixed'

/** Consistent line ends are noted once per file, mixed ones on each line. */
function lineEndsOf(hunks: readonly ShownHunk[]): LineEnds {
  let [lf, crlf] = [false, false]
  for (const { lines } of hunks)
    for (const { text, ended } of lines) {
      if (text.endsWith('\r')) crlf = true
      else if (ended) lf = true
      if (lf && crlf) return 'mixed'
    }
  return crlf ? 'crlf' : 'lf'
}
