import { encode } from 'uqr'
import { qrPath } from './qr-path.ts'

/** Dark on light in every theme, for cameras. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, side } = qrPath(encode(text, { border: 0 }))
  return (
    <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label} className="mx-auto w-full max-w-72 rounded-lg">
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}
