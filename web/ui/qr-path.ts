const edge = 4

/** The dark squares of a QR code, with a light edge around them. */
export function qrPath({ data, size }: { data: readonly (readonly boolean[])[]; size: number }) {
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + edge} ${y + edge}h1v1h-1z`] : [])))
  return { path: squares.join(''), side: size + 2 * edge }
}
