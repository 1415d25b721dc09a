import { useState } from 'react'
import { shownCharacters } from './chunks.ts'
import type { DiffLine } from './diff-model.ts'
import { piecesOf, type Piece, type Token } from './line-pieces.ts'
import type { Range } from './changed-words.ts'

/** Longer lines are cut: nobody reads them, and they would freeze the page. */
const mostCharacters = 200_000

type Props = {
  line: DiffLine
  tokens: readonly Token[] | null
  changed: readonly Range[] | null
  /** Whether a trailing carriage return is marked. */
  markReturns: boolean
}

/** The text of a line with highlighting and marks. A very long line is cut until more is requested. */
export function LineText({ line, tokens, changed, markReturns }: Props) {
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

const drawn = (piece: Piece, index: number) => {
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
