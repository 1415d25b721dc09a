import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import type { Message } from '../../../src/domain/message/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Card } from '../../ui/card.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { costText, tokenText } from '../sessions/session-labels.ts'
import { Plan } from './entries/plan.tsx'

/** More files are in their tab. */
const mostFiles = 12

type Props = { session: SessionDetail; messages: readonly Message[] }

/** Beside the conversation, where there is room: the plan, the files and the cost, as they are now. */
export function SidePane({ session, messages }: Props) {
  const plan = messages.findLast(({ content }) => content.type === 'plan')?.content
  return (
    <aside
      aria-label="Plan, files and cost"
      tabIndex={0}
      className="hidden w-80 shrink-0 flex-col gap-4 overflow-y-auto border-l border-line p-4 outline-offset-[-2px] xl:flex"
    >
      {session.progressSnapshot ? (
        <Plan title="Progress" steps={session.progressSnapshot} />
      ) : plan?.type === 'plan' ? (
        <Plan title="Plan now" steps={plan.steps} />
      ) : null}
      <ChangedFiles session={session} />
      <Cost session={session} />
    </aside>
  )
}

function ChangedFiles({ session: { id } }: { session: SessionDetail }) {
  const client = useClient()
  const { data } = useQuery({ queryKey: ['files', id], queryFn: () => client.sessionFiles({ params: { id } }) })
  const files = data?.files ?? []
  return (
    <Card aria-label="Files changed" className="min-w-0 p-3">
      <h3 className="text-sm font-semibold">Files changed</h3>
      {files.length === 0 ? (
        <p className="mt-1 text-sm text-soft">None yet.</p>
      ) : (
        <ul className="mt-1.5 flex flex-col gap-1 text-sm">
          {files.slice(0, mostFiles).map(({ path, added, removed, undone }) => (
            <li key={path} className="flex min-w-0 items-baseline gap-2">
              <code
                title={safeText(path)}
                className={`min-w-0 flex-1 truncate font-mono text-xs ${undone ? 'text-soft line-through' : ''}`}
              >
                {safeText(path)}
              </code>
              <span className="shrink-0 tabular-nums">
                <span className="text-add">+{added}</span> <span className="text-del">−{removed}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <Link to={paths.sessionFiles} params={{ id }} className="mt-2 inline-block text-sm text-link underline">
          {files.length > mostFiles ? `All ${files.length} files, with their diffs` : 'With their diffs'}
        </Link>
      )}
    </Card>
  )
}

function Cost({ session: { agentState } }: { session: SessionDetail }) {
  const { usage, budget } = agentState ?? {}
  const rows: [string, string][] = []
  const { used = null, size = null } = usage ?? {}
  if (used !== null) rows.push(['Context', `${tokenText(used)}${size === null ? '' : ` of ${tokenText(size)}`} tokens`])
  const cost = costText(usage?.costUsd)
  if (cost !== null) rows.push(['Cost', cost])
  const limit = costText(budget?.costUsd)
  if (limit !== null) rows.push(['Budget', limit])
  if (rows.length === 0) return null
  return (
    <Card aria-label="Cost" className="p-3">
      <h3 className="text-sm font-semibold">As the agent reports it</h3>
      <dl className="mt-1.5 flex flex-col gap-1 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-3">
            <dt className="text-soft">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
