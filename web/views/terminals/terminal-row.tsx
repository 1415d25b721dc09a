import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { askedBy, commandOf, nameOf, placeOf, stateBadge, type TerminalView } from '../../terminal/terminal-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'

/** One terminal of the list. */
export function TerminalRow({ terminal }: { terminal: TerminalView }) {
  const asked = askedBy(terminal)
  const { words, signal } = stateBadge(terminal)
  const place = placeOf(terminal)
  return (
    <li className="relative flex flex-col gap-1 px-4 py-3 hover:bg-sunken">
      <div className="flex items-start gap-3">
        <Link
          to={paths.terminal}
          params={{ id: terminal.sessionId }}
          data-row
          className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0"
        >
          {nameOf(terminal)}
        </Link>
        <span className="flex shrink-0 gap-1.5">
          {asked?.isDangerous && <Badge signal="stop">dangerous</Badge>}
          <Badge signal={signal}>{words}</Badge>
        </span>
      </div>
      {asked && (
        <p className="line-clamp-2 border-l-2 border-wait pl-2.5 font-mono text-sm break-words whitespace-pre-wrap">
          {clip(safeText(asked.promptText), 300)}
        </p>
      )}
      {asked?.isDangerous && <p className="text-sm text-stop">{safeText(asked.dangerReason ?? '')}</p>}
      <p className="flex min-w-0 gap-x-2 text-sm text-soft">
        {terminal.name !== null && <span className="min-w-0 truncate font-mono">{clip(commandOf(terminal), 120)}</span>}
        {place !== null && <span className="hidden max-w-[45%] shrink-0 truncate sm:inline">{place}</span>}
        <span className="ml-auto shrink-0">
          started <Time at={terminal.startTime} />
        </span>
      </p>
    </li>
  )
}
