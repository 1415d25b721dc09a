import { Denied, DeniedOrFailed } from '../../ui/denied.tsx'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { ChatPlatform } from '../../../src/client/contract/chat-instances.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Heading } from '../../ui/rows.tsx'
import { Loading } from '../../ui/states.tsx'
import { SettingsPage } from '../settings/settings-page.tsx'
import { CheckFailed, CredentialFields, filledIn, type Entered } from './credential-fields.tsx'
import { PlatformSteps } from './platform-steps.tsx'
import { instancesQuery, platformsQuery } from './queries.ts'

/** Walks through adding an account on a platform. */
export function NewInstanceView() {
  const client = useClient()
  const { grant } = usePermissions()
  const platforms = useQuery(platformsQuery(client))
  const [name, setName] = useState<string | null>(null)
  const offered = platforms.data?.filter(({ name: word }) => word !== 'web')
  const chosen = offered?.find((platform) => platform.name === name) ?? (offered?.length === 1 ? offered[0] : undefined)
  return (
    <SettingsPage title="New chat account" back={paths.chatInstances}>
      {platforms.isPending && <Loading />}
      {platforms.isError && (
        <DeniedOrFailed error={platforms.error} needs="admin" retry={() => void platforms.refetch()} />
      )}
      {offered && !grant && <Denied what="Adding a chat account" needs="owner" />}
      {offered && grant && (
        <>
          <fieldset className="flex flex-wrap gap-2">
            <legend className="mb-2 font-semibold">Platform</legend>
            {offered.map((platform) => (
              <label
                key={platform.name}
                className={`flex min-h-11 cursor-pointer items-center rounded-lg border px-4 font-medium focus-within:outline-2 focus-within:outline-focus ${platform === chosen ? 'border-accent bg-accent-soft text-accent' : 'border-line-strong bg-panel'}`}
              >
                <input
                  type="radio"
                  name="platform"
                  className="sr-only"
                  checked={platform === chosen}
                  onChange={() => setName(platform.name)}
                />
                {platform.title}
              </label>
            ))}
          </fieldset>
          {chosen && <Steps key={chosen.name} platform={chosen} />}
        </>
      )}
    </SettingsPage>
  )
}

function Steps({ platform }: { platform: ChatPlatform }) {
  const client = useClient()
  const navigate = useNavigate()
  const { data: instances } = useQuery({ ...instancesQuery(client), refetchInterval: false })
  const [entered, setEntered] = useState<Entered>({})
  const [title, setTitle] = useState('')
  const [name, setName] = useState('')
  const isTaken = instances?.some((one) => one.name === platform.name) ?? false
  const add = useAction(
    () =>
      client.addChatInstance({
        body: {
          platform: platform.name,
          ...(name.trim() !== '' && { name: name.trim() }),
          ...(title.trim() !== '' && { title: title.trim() }),
          credentials: filledIn(entered),
        },
      }),
    {
      failed: null,
      stale: [['instances']],
      whenDone: ({ instance, warnings }) =>
        void navigate({
          to: paths.chatInstance,
          params: { id: instance.id },
          search: { new: 1, ...(warnings.length > 0 && { warnings }) },
        }),
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(undefined)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      {platform.delivery === 'at_least_once' && (
        <p className="text-soft">If the connection breaks, a message to {platform.title} may arrive twice.</p>
      )}
      {platform.steps.length > 0 && <PlatformSteps platform={platform} />}
      <Card className="flex flex-col gap-4 p-4">
        <Heading about="Stored encrypted, and never shown again.">Credentials</Heading>
        <CredentialFields platform={platform} entered={entered} enter={setEntered} />
        <TextField
          label="Title (optional)"
          hint="What people see here. The name of the workspace if left empty."
          value={title}
          maxLength={200}
          onChange={({ target }) => setTitle(target.value)}
        />
        {isTaken && (
          <TextField
            label="Name"
            required
            pattern="[a-z0-9][a-z0-9_\-]*"
            maxLength={40}
            hint={`One word that no other account has, such as ${platform.name}-2.`}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
        {add.isError && <CheckFailed error={add.error} />}
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" tone="main" disabled={add.isPending}>
            {add.isPending ? 'Checking…' : 'Check and connect'}
          </Button>
        </div>
      </Card>
    </form>
  )
}
