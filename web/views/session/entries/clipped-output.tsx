import { useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { LongText } from '../../../ui/markdown.tsx'
import { safeText } from '../../../ui/safe-text.ts'

const mostLines = 24
const mostCharacters = 4000

/** Program output: the first lines, the rest on request, never more at once than a page can carry. */
export function ClippedOutput({ text, label }: { text: string; label: string }) {
  const [whole, setWhole] = useState(false)
  const start = useMemo(() => startOf(text), [text])
  if (whole)
    return (
      <div
        role="region"
        aria-label={label}
        className="max-h-[70dvh] overflow-auto rounded-lg bg-sunken p-3"
        tabIndex={0}
      >
        <LongText text={safeText(text)} />
      </div>
    )
  return (
    <div>
      <pre
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto rounded-lg bg-sunken p-3 font-mono text-[0.82rem] break-words whitespace-pre-wrap"
      >
        {safeText(start)}
      </pre>
      {start.length < text.length && (
        <Button tone="quiet" className="mt-1" onClick={() => setWhole(true)}>
          Show all ({text.length.toLocaleString()} characters)
        </Button>
      )}
    </div>
  )
}

function startOf(text: string): string {
  const head = text.slice(0, mostCharacters)
  const lines = head.split('\n')
  return lines.length > mostLines ? lines.slice(0, mostLines).join('\n') : head.length < text.length ? head : text
}
