import { useCallback, useMemo, useState, memo, useEffect, useReducer, useRef } from 'react'
import { chunksOf, columnsOf, type Measure, heightOf, linesOf, type RowChunk } from './chunks.ts'
import { type RowLook, ChunkRows, columnsIn } from './chunk-rows.tsx'
import type { HighlightedLines } from './highlighted-lines.ts'
import type { ShownHunk } from './diff-model.ts'
import { rowsOf } from './rows.ts'
import { useNear } from './use-near-screen.ts'
import { clickedPlace, lineAt } from './line-comments.ts'
import { useFileReview } from './review-context.tsx'

/** Must match diff.css. */
export const [lineHeight, barHeight] = [20, 32]
const letterWidth = 7.25

type Props = {
  name: string
  hunks: readonly ShownHunk[]
  look: RowLook
  wrap: boolean
  width: number
  colours: HighlightedLines
  atOnce: boolean
}

export function FileTable({ name, hunks, look, wrap, width, colours, atOnce }: Props) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const fold = useCallback((key: string) => {
    setUnfolded((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  }, [])
  const layout = look.split ? 'split' : 'unified'
  const chunks = useMemo(
    () => chunksOf(rowsOf(hunks, { layout, unfolded: look.asItCame ? null : unfolded })),
    [hunks, layout, unfolded, look.asItCame],
  )
  const { digits, longest } = useMemo(() => extent(hunks), [hunks])
  const numbers = digits + 2
  const columns = look.split ? 2 : 1
  const measure = useMemo((): Measure => {
    const perSide = (width / letterWidth - numbers * (look.split || !look.narrow ? 2 : 1)) / columns
    return { lineHeight, barHeight, columns: wrap ? Math.max(10, Math.floor(perSide) - 3) : null }
  }, [width, numbers, columns, wrap, look])
  const review = useFileReview()
  const canComment = review?.canComment === true && !look.asItCame
  /** Line numbers are for pointers; keys and thumbs have the button of the file. */
  const onClick = ({ target }: { target: EventTarget }) => {
    const cell = target instanceof Element ? target.closest<HTMLTableCellElement>('td.diff-number') : null
    const place = cell && canComment ? clickedPlace(cell, look.split) : null
    if (place && lineAt(hunks, place)) review?.start(place)
  }
  const room = `calc(${longest + 4}ch + ${numbers}ch)`
  return (
    <div
      className="diff-scroll"
      {...(wrap ? {} : { tabIndex: 0, role: 'group', 'aria-label': `Lines of ${name}, scrolls sideways` })}
    >
      <table
        className={[
          'diff-table',
          wrap && 'diff-wrap',
          look.asItCame && 'diff-as-it-came',
          canComment && 'diff-commentable',
        ]
          .filter(Boolean)
          .join(' ')}
        onClick={onClick}
        style={{
          ['--diff-numbers' as string]: `${numbers}ch`,
          ['--diff-room' as string]: `${width}px`,
          ...(wrap ? {} : { minWidth: look.split ? `calc(2 * ${room})` : `calc(${room} + ${numbers}ch)` }),
        }}
      >
        <caption className="diff-unseen">{`Changes in ${name}`}</caption>
        <Columns look={look} numbers={numbers} />
        {chunks.map((chunk, index) => (
          <ChunkView
            key={chunk.key}
            chunk={chunk}
            look={look}
            colours={colours}
            measure={measure}
            atOnce={atOnce && index === 0}
            fold={fold}
          />
        ))}
      </table>
    </div>
  )
}

function Columns({ look, numbers }: { look: RowLook; numbers: number }) {
  const number = <col style={{ width: `${numbers}ch` }} />
  const titles = look.split
    ? ['Old line', 'Before', 'New line', 'After']
    : look.narrow
      ? ['Line', 'Text']
      : ['Old line', 'New line', 'Text']
  return (
    <>
      <colgroup>
        {number}
        {(look.split || look.narrow) && <col />}
        {!look.narrow && number}
        {!look.narrow && <col />}
      </colgroup>
      <thead>
        <tr>
          {titles.map((title) => (
            <th key={title} scope="col">
              <span className="diff-unseen">{title}</span>
            </th>
          ))}
        </tr>
      </thead>
    </>
  )
}

function extent(hunks: readonly ShownHunk[]): { digits: number; longest: number } {
  let [last, longest] = [1, 0]
  for (const { lines } of hunks)
    for (const line of lines) {
      last = Math.max(last, line.oldNumber ?? 0, line.newNumber ?? 0)
      if (line.text.length * 2 > longest) longest = Math.max(longest, columnsOf(line.text))
    }
  return { digits: String(last).length, longest }
}

type ChunkViewProps = {
  chunk: RowChunk
  look: RowLook
  colours: HighlightedLines
  measure: Measure
  atOnce: boolean
  fold: (key: string) => void
}

/** Rows of a file, rendered near the screen; elsewhere only their height is reserved. */
const ChunkView = memo(({ chunk, look, colours, measure, atOnce, fold }: ChunkViewProps) => {
  const body = useRef<HTMLTableSectionElement>(null)
  const near = useNear(body, atOnce)
  const tall = useRef<{ measure: Measure; height: number } | null>(null)
  const [, coloured] = useReducer((count: number) => count + 1, 0)

  useEffect(() => {
    if (!near) return undefined
    let shown = true
    colours.want(chunk.rows.flatMap(linesOf), () => shown && coloured())
    const watched = body.current
    const observer = new ResizeObserver(() => {
      if (watched && watched.childElementCount > 1) tall.current = { measure, height: watched.offsetHeight }
    })
    if (watched) observer.observe(watched)
    return () => {
      shown = false
      observer.disconnect()
    }
  }, [near, chunk, colours, measure])

  // A measured height is valid while the width is the same.
  const known = tall.current?.measure === measure ? tall.current.height : null
  return (
    <tbody ref={body}>
      {near ? (
        <ChunkRows rows={chunk.rows} look={look} colours={colours} fold={fold} />
      ) : (
        <tr aria-hidden="true">
          <td colSpan={columnsIn(look)} style={{ height: known ?? heightOf(chunk.rows, measure) }} />
        </tr>
      )}
    </tbody>
  )
})
ChunkView.displayName = 'ChunkView'
