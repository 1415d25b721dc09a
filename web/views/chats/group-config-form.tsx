import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { ContainerConfig } from '../../../src/domain/agent-group/schema.ts'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Heading } from '../../ui/rows.tsx'
import { Failed } from '../../ui/states.tsx'
import { groupConfigQuery } from './queries.ts'

type Change = Parameters<ReturnType<typeof useClient>['updateGroupConfig']>[0]['body']

/** How its sessions run. Part of it is for admins of the server. */
export function GroupConfig({ group }: { group: AgentGroup }) {
  const config = useQuery(groupConfigQuery(useClient(), group.id))
  return (
    <>
      <Heading about="Sessions that start from now on run like this.">How it runs</Heading>
      {config.isError && <Failed error={config.error} retry={() => void config.refetch()} />}
      {config.data && <ConfigForm key={config.data.updatedAt} group={group} config={config.data} />}
    </>
  )
}

const words = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
const orNull = (text: string): string | null => text.trim() || null
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))
const shown = (value: number | null | undefined): string => (value === null || value === undefined ? '' : String(value))

type Fields = Readonly<Record<string, string>>

const fieldsOf = (config: ContainerConfig): Fields => ({
  model: config.model ?? '',
  effort: config.effort ?? '',
  assistantName: config.assistantName ?? '',
  messages: shown(config.maxMessagesPerPrompt),
  skills: config.skills === 'all' ? '' : config.skills.join(', '),
  apt: config.packagesApt.join(', '),
  npm: config.packagesNpm.join(', '),
  scope: config.cliScope,
  isolation: config.isolation ?? '',
  image: config.imageTag ?? '',
  hosts: config.networkHosts.join(', '),
  providers: config.providers.join(', '),
  memory: shown(config.limits.memoryMb),
  cpus: shown(config.limits.cpus),
  budget: shown(config.budget?.costUsd),
  period: config.budget?.period ?? 'month',
})

/** Only what was changed is sent: some of it needs another role. */
function changeOf(before: Fields, now: Fields, config: ContainerConfig): Change {
  const is = (...names: string[]) => names.some((name) => before[name] !== now[name])
  const text = (name: string) => now[name] ?? ''
  const costUsd = numberOrNull(text('budget'))
  return {
    ...(is('model') && { model: orNull(text('model')) }),
    ...(is('effort') && { effort: orNull(text('effort')) }),
    ...(is('assistantName') && { assistantName: orNull(text('assistantName')) }),
    ...(is('messages') && { maxMessagesPerPrompt: numberOrNull(text('messages')) }),
    ...(is('skills') && { skills: text('skills').trim() === '' ? ('all' as const) : words(text('skills')) }),
    ...(is('apt') && { packagesApt: words(text('apt')) }),
    ...(is('npm') && { packagesNpm: words(text('npm')) }),
    ...(is('scope') && { cliScope: text('scope') as ContainerConfig['cliScope'] }),
    ...(is('isolation') && { isolation: (text('isolation') || null) as ContainerConfig['isolation'] }),
    ...(is('image') && { imageTag: orNull(text('image')) }),
    ...(is('hosts') && { networkHosts: words(text('hosts')) }),
    ...(is('providers') && { providers: words(text('providers')) }),
    ...(is('memory', 'cpus') && {
      limits: { ...config.limits, memoryMb: numberOrNull(text('memory')), cpus: numberOrNull(text('cpus')) },
    }),
    ...(is('budget', 'period') && {
      budget:
        costUsd === null
          ? null
          : { costUsd, tokens: config.budget?.tokens ?? null, period: text('period') as 'day' | 'month' | 'total' },
    }),
  }
}

function ConfigForm({ group, config }: { group: AgentGroup; config: ContainerConfig }) {
  const client = useClient()
  const { administer } = usePermissions()
  const before = fieldsOf(config)
  const [now, setNow] = useState<Fields>(before)
  const save = useAction((body: Change) => client.updateGroupConfig({ params: { id: group.id }, body }), {
    failed: 'Not saved',
    done: 'Saved',
    stale: [['groups']],
  })
  const change = changeOf(before, now, config)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(change)
  }
  const of = (name: string) => ({
    value: now[name] ?? '',
    onChange: ({ target }: { target: { value: string } }) => setNow({ ...now, [name]: target.value }),
  })
  return (
    <Card className="p-4">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <TextField label="Model" hint="As the agent calls it." maxLength={200} {...of('model')} />
          <TextField
            label="Effort"
            hint="How much it thinks, as the agent calls it."
            maxLength={200}
            {...of('effort')}
          />
          <TextField
            label="Its name"
            hint="What the agent is told it is called."
            maxLength={200}
            {...of('assistantName')}
          />
          <TextField label="Messages per prompt" type="number" min={1} max={1000} {...of('messages')} />
          <TextField label="Skills" placeholder="all" hint="Names from its folder." {...of('skills')} />
          <SelectField label="Its agents can read" {...of('scope')}>
            <option value="disabled">Nothing</option>
            <option value="group">Their own group</option>
            <option value="global" disabled={!administer}>
              What the session’s owner can
            </option>
          </SelectField>
          <TextField label="Debian packages" placeholder="jq, ripgrep" hint="In its containers." {...of('apt')} />
          <TextField label="npm packages" placeholder="typescript" hint="In its containers." {...of('npm')} />
        </div>
        <fieldset disabled={!administer} className="flex flex-col gap-4 border-t border-line pt-4">
          <legend className="sr-only">For admins of the server</legend>
          {!administer && <p className="text-sm text-soft">Admins of the server change what follows.</p>}
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            <SelectField label="Isolation" {...of('isolation')}>
              <option value="">As the server is configured</option>
              <option value="container">In a container</option>
              <option value="sandbox">In a sandbox</option>
              <option value="none">None: as the server’s user</option>
            </SelectField>
            <TextField label="Image" placeholder="the base image" maxLength={300} {...of('image')} />
            <TextField label="Hosts" placeholder="none" hint="That its containers reach." {...of('hosts')} />
            <TextField
              label="Model providers"
              placeholder="none"
              hint="From the server’s configuration."
              {...of('providers')}
            />
            <TextField label="Memory in MiB" type="number" min={64} placeholder="as configured" {...of('memory')} />
            <TextField label="CPUs" type="number" min={0.1} step={0.1} placeholder="as configured" {...of('cpus')} />
            <TextField
              label="Budget in US dollars"
              type="number"
              min={0.01}
              step={0.01}
              placeholder="none"
              {...of('budget')}
            />
            <SelectField label="Period of the budget" {...of('period')}>
              <option value="day">A day</option>
              <option value="month">A month</option>
              <option value="total">In total</option>
            </SelectField>
          </div>
        </fieldset>
        <div className="flex justify-end">
          <Button tone="main" type="submit" disabled={Object.keys(change).length === 0 || save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
