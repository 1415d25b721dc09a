import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { commandsFor } from './agent-offers.ts'

type Props = { session: SessionDetail; text: string; pick: (words: string) => void }

/** Suggests the agent's commands while a name is typed. */
export function CommandHints({ session, text, pick }: Props) {
  const commands = commandsFor(session.agentState?.commands, text)
  if (commands.length === 0) return null
  return (
    <ul
      aria-label="Agent commands"
      className="mb-2 max-h-60 overflow-y-auto rounded-lg border border-line bg-raised p-1"
    >
      {commands.map(({ name, about }) => (
        <li key={name}>
          <button
            type="button"
            onClick={() => pick(`/${name} `)}
            className="flex min-h-11 w-full items-baseline gap-3 rounded-md px-2 py-1.5 text-left hover:bg-sunken pointer-fine:min-h-8"
          >
            <code className="font-mono text-sm font-semibold">/{safeText(name)}</code>
            <span className="min-w-0 flex-1 truncate text-sm text-soft">{clip(safeText(about), 200)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
