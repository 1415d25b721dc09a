import { deniedText } from '../../ui/denied-text.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState, type KeyboardEvent } from 'react'
import type { AgentInfo } from '../../../src/client/contract/agents.ts'
import { useClient } from '../../api/backend.tsx'
import { agentsQuery, meQuery, reposQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { browserStorage } from '../../app/browser-storage.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Badge } from '../../ui/badge.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { AdvancedOptions, type Budgets } from './advanced-options.tsx'
import { WorkspaceChoice } from './workspace-choice.tsx'
import { budgetOf, keepChoices, keptChoices, type StartChoices } from './start-choices.ts'
import { AttachButton, PromptFileList, takesFiles } from '../session/files/prompt-file-list.tsx'
import { usePromptFiles } from '../session/files/use-prompt-files.ts'
import { StartError } from './start-error.tsx'
import { TemplateButton } from '../templates/template-picker.tsx'
import type { TemplatePlace } from '../templates/queries.ts'
import type { Repo } from '../../../src/domain/workspace/schema.ts'

export function NewSessionView() {
  const client = useClient()
  const agents = useQuery(agentsQuery(client))
  const repos = useQuery(reposQuery(client))
  const me = useQuery(meQuery(client))
  return (
    <>
      <PageHead title="New session" back={paths.sessions} about="One agent working in one folder" />
      <PageBody>
        {agents.isPending || repos.isPending || me.isPending ? (
          <Loading />
        ) : agents.isError ? (
          <Failed error={agents.error} retry={() => void agents.refetch()} />
        ) : (
          <StartForm
            agents={agents.data.agents}
            repos={repos.data?.map(({ id }) => id) ?? []}
            machine={me.data?.may.machine ?? false}
          />
        )}
      </PageBody>
    </>
  )
}

/** The address takes precedence over the last choice. */
function useFirstChoices(agents: readonly AgentInfo[], repos: readonly string[], machine: boolean) {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const kept = keptChoices(browserStorage)
  const wanted = typeof search['agent'] === 'string' ? search['agent'] : kept.agent
  const usable = agents.filter(({ installed }) => installed)
  const agent = usable.find(({ name }) => name === wanted) ?? usable.find(({ isDefault }) => isDefault) ?? usable[0]
  const firstPlace = repos[0] === undefined ? '' : `repo:${repos[0]}`
  const wished = typeof search['repo'] === 'string' ? `repo:${search['repo']}` : kept.place || firstPlace
  const place = wished === 'new' ? '' : wished
  const prompt = typeof search['prompt'] === 'string' ? search['prompt'] : ''
  // An earlier choice may no longer be allowed.
  const usual = machine || repos.some((id) => `repo:${id}` === place)
  const isolation = kept.isolation === 'none' && !machine ? '' : kept.isolation
  const choices: StartChoices = { ...kept, isolation, agent: agent?.name ?? '', place: usual ? place : firstPlace }
  return [choices, prompt] as const
}

type FormProps = { agents: readonly AgentInfo[]; repos: readonly Repo['id'][]; machine: boolean }

function StartForm({ agents, repos, machine }: FormProps) {
  const client = useClient()
  const navigate = useNavigate()
  const [first, firstPrompt] = useFirstChoices(agents, repos, machine)
  const [choices, setChoices] = useState(first)
  const [prompt, setPrompt] = useState(firstPrompt)
  const [budgets, setBudgets] = useState<Budgets>({ cost: '', tokens: '' })
  const files = usePromptFiles()
  const choose = (change: Partial<StartChoices>) => setChoices((before) => ({ ...before, ...change }))
  const budget = budgetOf(budgets.cost, budgets.tokens)
  const start = useMutation({
    mutationFn: () => client.startSession({ body: { ...bodyOf(choices, prompt, budget ?? {}), ...files.body } }),
    onSuccess: ({ id }) => {
      keepChoices(browserStorage, choices)
      void navigate({ to: paths.session, params: { id } })
    },
  })
  const agent = agents.find(({ name }) => name === choices.agent)
  const unsent = files.unready
    ? 'A file is not uploaded.'
    : files.files.length > 0 && prompt.trim() === ''
      ? 'Say what to do with the files.'
      : null
  const missing = unsent ?? missingIn(choices, budget !== null) ?? (machine ? null : barredIn(choices, agent))
  const submit = () => {
    if (missing === null && !start.isPending) start.mutate()
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      className="flex flex-col gap-5"
      onKeyDown={onKey}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <TextArea
        label="What should it do?"
        autoFocus
        className="min-h-24!"
        {...takesFiles(files.add)}
        value={prompt}
        onChange={({ target }) => setPrompt(target.value)}
        placeholder="Fix the failing test in …"
        hint="Optional. You can send the prompt later."
      />
      <div className="-mt-3 flex flex-wrap items-center gap-2">
        <AttachButton add={files.add} />
        <TemplateButton
          place={templatePlace(choices, repos)}
          pick={(words) => setPrompt((before) => (before.trim() === '' ? words : `${before.trimEnd()}\n\n${words}`))}
        />
        <PromptFileList files={files.files} remove={files.remove} />
      </div>
      <AgentChoice agents={agents} chosen={choices.agent} choose={(agent) => choose({ agent, authMethod: '' })} />
      <WorkspaceChoice choices={choices} choose={choose} />
      <Card className="p-4">
        <AdvancedOptions
          agent={agent}
          choices={choices}
          choose={choose}
          budgets={budgets}
          setBudgets={setBudgets}
          badBudget={budget === null}
        />
      </Card>
      {start.isError && <StartError error={start.error} />}
      <div className="flex flex-col gap-2 sm:flex-row sm:items-center">
        <Button tone="main" icon="play" type="submit" disabled={missing !== null || start.isPending}>
          {start.isPending ? 'Starting…' : 'Start session'}
          <Kbd>Ctrl ↵</Kbd>
        </Button>
        <p role="status" className="text-sm text-soft">
          {missing ?? (start.isPending ? 'Starts the agent and checks that it responds.' : '')}
        </p>
      </div>
    </form>
  )
}

const templatePlace = ({ place }: StartChoices, repos: readonly Repo['id'][]): TemplatePlace => {
  const repoId = repos.find((id) => `repo:${id}` === place)
  return repoId === undefined ? {} : { repoId }
}

function missingIn({ agent, place, path }: StartChoices, budgetOk: boolean): string | null {
  if (agent === '') return 'No agent is installed. Install one of the above.'
  if (place === 'new') return 'Register the repo first.'
  if (place === 'path' && path.trim() === '') return 'Enter a folder.'
  return budgetOk ? null : 'The budget is not a number.'
}

/** Without the machine right: only repos and sandboxed agents. */
function barredIn({ place, isolation }: StartChoices, agent: AgentInfo | undefined): string | null {
  if (!place.startsWith('repo:')) return 'Choose a repo.'
  if (isolation === '' && agent?.isolation === 'none')
    return deniedText('Running an agent without a sandbox', 'machine')
  return null
}

function bodyOf(choices: StartChoices, prompt: string, budget: { costUsd?: number; tokens?: number }) {
  const { agent, place, path, isolation, worktree, authMethod } = choices
  return {
    agent,
    worktree,
    ...(prompt.trim() !== '' && { prompt }),
    ...(place.startsWith('repo:') && { repoId: place.slice('repo:'.length) }),
    ...(place === 'path' && { workspaceRoot: path.trim() }),
    ...(isolation !== '' && { isolation }),
    ...(authMethod !== '' && { authMethod }),
    ...(Object.keys(budget).length > 0 && { budget }),
  }
}

type Props = { agents: readonly AgentInfo[]; chosen: string; choose: (name: string) => void }

/** The installed agents, and how to install others. */
function AgentChoice({ agents, chosen, choose }: Props) {
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
      {agents.map(({ name, title, install, installCommand }) => (
        <div key={name} className="grid gap-x-4 py-2 text-sm sm:grid-cols-[9rem_minmax(0,1fr)]">
          <dt className="font-medium">{safeText(title)}</dt>
          <dd className="min-w-0 break-words text-soft">
            {installCommand === null ? safeText(install) : <CopyText text={installCommand} label="Copy the command" />}
          </dd>
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
  if (isolation === 'container') return 'Runs in a container.'
  return isolation === 'sandbox' ? 'Runs in a sandbox.' : "Runs as the server's user."
}
