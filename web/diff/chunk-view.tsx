import { memo, useEffect, useReducer, useRef } from 'react'
import { ChunkRows, columnsIn, type Look } from './chunk-rows.tsx'
import { heightOf, linesOf, type Chunk, type Measure } from './chunks.ts'
import type { HighlightedLines } from './highlighted-lines.ts'
import { useNear } from './use-near-screen.ts'

type Props = {
  chunk: Chunk
  look: Look
  colours: HighlightedLines
  measure: Measure
  atOnce: boolean
  fold: (key: string) => void
}

/** Rows of a file, rendered near the screen; elsewhere only their height is reserved. */
export const ChunkView = memo(({ chunk, look, colours, measure, atOnce, fold }: Props) => {
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
