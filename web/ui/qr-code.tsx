import { encode } from 'uqr'

const edge = 4

/** Dark on light in every theme, for cameras. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 0 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + edge} ${y + edge}h1v1h-1z`] : [])))
  const side = size + 2 * edge
  return (
    <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} className="mx-auto w-full max-w-72 rounded-lg">
      <rect width={side} height={side} fill="#fff" />
      <path d={squares.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
