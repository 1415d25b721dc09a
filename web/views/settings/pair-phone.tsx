import { useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { encode } from 'uqr'

const isLocal = (url: string) => /^https?:\/\/(127\.|localhost|\[::1\])/.test(url)

/** A one-time login link as a QR code. */
export function PairPhone() {
  const client = useClient()
  const [link, setLink] = useState<string | null>(null)
  const make = useAction(() => client.createLoginLink({ body: {} }), { failed: 'No link was created' })
  const open = () => make.mutate(undefined, { onSuccess: ({ url }) => setLink(withHere(url)) })
  return (
    <>
      <Button icon="phone" onClick={open} disabled={make.isPending}>
        Pair a phone
      </Button>
      <Dialog open={link !== null} close={() => setLink(null)} title="Pair a phone">
        {link !== null && (
          <>
            {isLocal(link) && (
              <p role="alert" className="rounded-lg bg-wait-soft p-3 text-wait">
                This address works only on this machine. Make Signalbox reachable (a tunnel, or a proxy with TLS), set{' '}
                <code className="font-mono">public_url</code>, and pair again.
              </p>
            )}
            <p className="text-soft">Scan this with your phone’s camera. It works once, for ten minutes.</p>
            <QrCode text={link} label="The login link as a QR code" />
            <CopyText text={link} label="Copy the link" />
          </>
        )}
      </Dialog>
    </>
  )
}

/** The current address may be reachable when the configured one is not. */
function withHere(url: string): string {
  const { pathname, search } = new URL(url)
  return isLocal(url) ? `${location.origin}${pathname}${search}` : url
}

const edge = 4

/** Dark on light in every theme, for cameras. */
function QrCode({ text, label }: { text: string; label: string }) {
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
