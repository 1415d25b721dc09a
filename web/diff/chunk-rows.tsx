import { Fragment, useMemo, useState } from 'react'
import { commentRow } from './comment-rows.tsx'
import { useFileReview } from './review-context.tsx'
import type { HighlightedLines } from './highlighted-lines.ts'
import { shownName } from './hidden-characters.ts'
import type { DiffLine } from './diff-model.ts'
import type { FoldRow, GapRow, DiffRow, SplitRow, UnifiedRow } from './rows.ts'
import { wordChanges, type WordRange } from './changed-words.ts'
import { shownCharacters } from './chunks.ts'
import { piecesOf, type LinePiece, type SyntaxToken } from './line-pieces.ts'

/** `asItCame`: lines keep their leading `+` and `-`. */
export type RowLook = { split: boolean; narrow: boolean; markReturns: boolean; asItCame: boolean }

type Props = { rows: readonly DiffRow[]; look: RowLook; colours: HighlightedLines; fold: (key: string) => void }

/** Number of table columns. */
export const columnsIn = ({ split, narrow }: RowLook): number => (split ? 4 : narrow ? 2 : 3)

export function ChunkRows({ rows, look, colours, fold }: Props) {
  const words = useMemo(() => changedWords(rows), [rows])
  const review = useFileReview()
  const columns = columnsIn(look)
  const text = (line: DiffLine) => (
    <LineText line={line} tokens={colours.of(line)} changed={words.get(line) ?? null} markReturns={look.markReturns} />
  )
  return rows.map((row, index) => {
    if (row.kind === 'line')
      return (
        <Fragment key={index}>
          <UnifiedLine row={row} look={look} text={text} />
          {commentRow(review, row.line, columns)}
        </Fragment>
      )
    if (row.kind === 'pair') {
      const { left, right } = row.pair
      return (
        <Fragment key={index}>
          <SplitLine row={row} text={text} />
          {left?.newNumber === null && commentRow(review, left, columns)}
          {commentRow(review, right, columns)}
        </Fragment>
      )
    }
    return <Bar key={row.key} row={row} columns={columns} fold={fold} />
  })
}

function changedWords(rows: readonly DiffRow[]): Map<DiffLine, WordRange[]> {
  const words = new Map<DiffLine, WordRange[]>()
  const add = (left: DiffLine, right: DiffLine): void => {
    const changes = words.has(left) ? null : wordChanges(left.text, right.text)
    if (changes) words.set(left, changes.old).set(right, changes.new)
  }
  for (const row of rows) {
    if (row.kind === 'pair' && row.pair.alike && row.pair.left && row.pair.right) add(row.pair.left, row.pair.right)
    const mate = row.kind === 'line' ? row.mate?.() : null
    if (row.kind === 'line' && mate)
      add(...(row.line.op === '-' ? ([row.line, mate] as const) : ([mate, row.line] as const)))
  }
  return words
}

const classes = { '+': 'diff-added', '-': 'diff-removed', ' ': '' } as const
const classOf = ({ op, quiet }: DiffLine): string => (quiet ? 'diff-quiet' : classes[op])

type LineRenderer = { text: (line: DiffLine) => React.ReactNode }

const UnifiedLine = ({ row: { line }, look, text }: { row: UnifiedRow; look: RowLook } & LineRenderer) => (
  <tr className={classOf(line)}>
    {look.narrow ? (
      <td className="diff-number">{line.newNumber ?? line.oldNumber}</td>
    ) : (
      <>
        <td className="diff-number">{line.oldNumber}</td>
        <td className="diff-number">{line.newNumber}</td>
      </>
    )}
    <td className="diff-text">{text(line)}</td>
  </tr>
)

const SplitLine = ({ row: { pair }, text }: { row: SplitRow } & LineRenderer) => (
  <tr>
    {side(pair.left, pair.left?.oldNumber, text)}
    {side(pair.right, pair.right?.newNumber, text)}
  </tr>
)

const side = (line: DiffLine | null, number: number | null | undefined, text: LineRenderer['text']) => {
  const look = line ? classOf(line) : 'diff-nothing'
  return (
    <>
      <td className={`diff-number ${look}`}>{number}</td>
      <td className={`diff-text ${look}`}>{line && text(line)}</td>
    </>
  )
}

type BarProps = { row: GapRow | FoldRow; columns: number; fold: (key: string) => void }

const Bar = ({ row, columns, fold }: BarProps) => (
  <tr className="diff-bar">
    <td colSpan={columns}>
      {row.kind === 'fold' ? (
        <button type="button" className="diff-inline-button" aria-expanded={row.open} onClick={() => fold(row.key)}>
          {`${row.open ? 'Hide' : 'Show'} ${row.count.toLocaleString('en')} unchanged lines`}
        </button>
      ) : (
        <span>
          {row.count > 0 && `${row.count.toLocaleString('en')} unchanged ${row.count === 1 ? 'line' : 'lines'}`}
          {row.heading !== '' && <span className="diff-heading">{shownName(row.heading)}</span>}
        </span>
      )}
    </td>
  </tr>
)

/** Longer lines are cut: nobody reads them, and they would freeze the page. */
const mostCharacters = 200_000

type LineTextProps = {
  line: DiffLine
  tokens: readonly SyntaxToken[] | null
  changed: readonly WordRange[] | null
  /** Whether a trailing carriage return is marked. */
  markReturns: boolean
}

/** The text of a line with highlighting and marks. A very long line is cut until more is requested. */
function LineText({ line, tokens, changed, markReturns }: LineTextProps) {
  const [most, setMost] = useState(shownCharacters)
  const returned = line.text.endsWith('\r')
  const text = returned ? line.text.slice(0, -1) : line.text
  const shown = text.length > most ? text.slice(0, most) : text
  const left = text.length - most
  return (
    <>
      {piecesOf(shown, tokens, changed).map(drawn)}
      {left > 0 && most < mostCharacters && (
        <button type="button" className="diff-inline-button" onClick={() => setMost(most * 10)}>
          {`Show more of this line (${left.toLocaleString('en')} characters)`}
        </button>
      )}
      {left > 0 && most >= mostCharacters && (
        <Mark warn text={`${left.toLocaleString('en')} more characters are not shown`} title="Too large to show" />
      )}
      {returned && markReturns && <Mark text="CR" title="This line ends with CR LF" />}
      {!line.ended && <Mark text="no newline at end of file" title="No newline at the end of this line" />}
    </>
  )
}

const drawn = (piece: LinePiece, index: number) => {
  if (piece.hidden)
    return <Mark key={index} warn text={`U+${piece.hidden.code}`} title={`Hidden character: ${piece.hidden.name}`} />
  if (piece.token === '' && !piece.changed) return piece.text
  const className = [piece.token && `diff-token-${piece.token}`, piece.changed && 'diff-word'].filter(Boolean).join(' ')
  return (
    <span key={index} className={className}>
      {piece.text}
    </span>
  )
}

const Mark = ({ text, title, warn = false }: { text: string; title: string; warn?: boolean }) => (
  <span className={warn ? 'diff-mark diff-mark-warn' : 'diff-mark'} title={title}>
    {text}
  </span>
)
