import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { severities, type CaughtUpEvent } from './catch-up-order.ts'

/** Terminal events link to the terminal, asks to the ask, the rest to the session. */
function target({ kind, askId, sessionId, at }: CaughtUpEvent) {
  if (askId !== null) return { to: paths.ask, params: { id: askId } }
  if (sessionId === null) return null
  if (kind === 'prompt') return { to: paths.terminal, params: { id: sessionId } }
  if (kind === 'output' || kind === 'warning')
    return { to: paths.terminal, params: { id: sessionId }, search: { replay: at } }
  return { to: paths.session, params: { id: sessionId } }
}

export function CatchUpRow({ event, title }: { event: CaughtUpEvent; title: string | null }) {
  const { severity, kind, text, context, times, at } = event
  const { words, signal } = severities[severity]
  const link = target(event)
  // Do not repeat below what the sentence already says.
  const around = context.filter((line) => line.trim() !== '' && !text.includes(line.trim()))
  return (
    <li className="relative flex flex-col gap-1 px-4 py-3 hover:bg-sunken">
      <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
        <Badge signal={signal}>{words}</Badge>
        <span>{kind}</span>
        {title !== null && <span className="min-w-0 truncate">{clip(safeText(title), 60)}</span>}
        {times > 1 && <span>· {times} times</span>}
        <Time at={at} className="ml-auto shrink-0" />
      </p>
      {link ? (
        <Link {...link} data-row className="font-medium break-words after:absolute after:inset-0">
          {safeText(text)}
        </Link>
      ) : (
        <span className="font-medium break-words">{safeText(text)}</span>
      )}
      {around.length > 0 && (
        <pre className="max-h-40 overflow-hidden font-mono text-xs leading-5 break-all whitespace-pre-wrap text-soft">
          {safeText(around.join('\n'))}
        </pre>
      )}
    </li>
  )
}
