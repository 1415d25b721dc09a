import type { AgentInfo } from '../../../src/client/contract/agents.ts'
import { Badge } from '../../ui/badge.tsx'
import { safeText } from '../../ui/safe-text.ts'

type Props = { agents: readonly AgentInfo[]; chosen: string; choose: (name: string) => void }

/** The installed agents, and how to install others. */
export function AgentChoice({ agents, chosen, choose }: Props) {
  const inOrder = agents.toSorted(byUse)
  const others = inOrder.filter(({ installed }) => !installed)
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Agent</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {inOrder.map(
          (agent) =>
            agent.installed && (
              <label
                key={agent.name}
                className={`flex min-h-11 cursor-pointer items-start gap-3 rounded-lg border bg-panel p-3 hover:bg-sunken ${agent.name === chosen ? 'border-accent bg-accent-soft!' : 'border-line-strong'}`}
              >
                <input
                  type="radio"
                  name="agent"
                  value={agent.name}
                  checked={agent.name === chosen}
                  onChange={() => choose(agent.name)}
                  className="mt-1 size-4 shrink-0 accent-accent"
                />
                <span className="min-w-0 flex-1">
                  <span className="flex flex-wrap items-center gap-x-2">
                    <span className="font-medium">{safeText(agent.title)}</span>
                    {agent.isDefault && <Badge>default</Badge>}
                  </span>
                  <span className="block text-sm break-words text-soft">{aboutAgent(agent)}</span>
                </span>
              </label>
            ),
        )}
      </div>
      {others.length > 0 && <Others agents={others} />}
    </fieldset>
  )
}

const Others = ({ agents }: { agents: readonly AgentInfo[] }) => (
  <details className="rounded-lg border border-line bg-panel px-3 py-2">
    <summary className="min-h-8 text-sm">
      {agents.length === 1 ? 'One more' : `${agents.length} more`} can be installed:{' '}
      <span className="text-soft">{agents.map(({ title }) => safeText(title)).join(', ')}</span>
    </summary>
    <dl className="mt-1 flex flex-col divide-y divide-line">
      {agents.map(({ name, title, install }) => (
        <div key={name} className="grid gap-x-4 py-2 text-sm sm:grid-cols-[9rem_minmax(0,1fr)]">
          <dt className="font-medium">{safeText(title)}</dt>
          <dd className="break-words text-soft">{safeText(install)}</dd>
        </div>
      ))}
    </dl>
  </details>
)

const byUse = (a: AgentInfo, b: AgentInfo): number =>
  Number(b.isDefault) - Number(a.isDefault) || a.title.localeCompare(b.title)

function aboutAgent({ name, isolation, error }: AgentInfo): string {
  if (error !== null) return safeText(error)
  if (name === 'practice')
    return 'Needs no model and no account. It shows what working with an agent is like: asks, diffs, commands.'
  return isolation === 'sandbox' ? 'Runs in a sandbox.' : "Runs as the server's user."
}
