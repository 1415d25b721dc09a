import { useQuery } from '@tanstack/react-query'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { AgentText } from '../../../ui/markdown.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { beforeAsk } from './before-ask.ts'

const lastMessages = 40
const kinds: readonly Ask['kind'][] = ['diff', 'permission', 'command', 'tool', 'question', 'elicitation']

/** What the agent said, planned and did before it asked. Nothing for people who can't read its conversation. */
export function BeforePart({ ask }: { ask: Ask }) {
  const client = useClient()
  const { id, sessionId, createdAt, kind } = ask
  const { data } = useQuery({
    // What came before an ask does not change.
    queryKey: ['ask', id, 'before'],
    queryFn: () => client.conversation({ params: { id: sessionId ?? '' }, query: { limit: lastMessages } }),
    enabled: sessionId !== null && kinds.includes(kind),
    staleTime: 60_000,
    retry: false,
  })
  if (!data) return null
  const { words, step, calls } = beforeAsk(data.messages, createdAt)
  if (words === null && step === null && calls.length === 0) return null
  return (
    <section
      aria-label="Before this"
      className="flex max-w-4xl min-w-0 flex-col gap-2 border-l-2 border-line-strong pl-3 text-sm"
    >
      {words !== null && (
        <div className="max-h-40 overflow-y-auto" tabIndex={0} role="group" aria-label="The agent’s last messages">
          <AgentText text={clip(words, 2000)} />
        </div>
      )}
      {step !== null && (
        <p className="break-words text-soft">
          Step {step.number} of {step.of}: <span className="text-text">{clip(safeText(step.label), 200)}</span>
        </p>
      )}
      {calls.length > 0 && (
        <p className="break-words text-soft">
          Before: {calls.map((call) => clip(safeText(call.replaceAll(/\s+/g, ' ')), 100)).join(' · ')}
        </p>
      )}
    </section>
  )
}
