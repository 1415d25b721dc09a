import { Denied } from '../../ui/denied.tsx'
import { isRefused } from '../../api/transport.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { ChatInstance, ChatInstanceId } from '../../../src/domain/chat-instance/schema.ts'
import type { MessagingGroupId } from '../../../src/domain/chat/id.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { SettingsPage } from '../settings/settings-page.tsx'
import { CheckFailed, CredentialFields, filledIn, Warnings, type Entered } from './credential-fields.tsx'
import { Instead } from './instead-of-item.tsx'
import { InstanceBadge } from './instances-view.tsx'
import { nameOfChat, nameOfInstance, namesOfListeners } from './names.ts'
import { NextSteps } from './next-steps.tsx'
import { chatsQuery, groupsQuery, platformsQuery } from './queries.ts'
import { platformTitle } from './words.ts'

const stale = [['instances']] as const

export function InstanceView() {
  const { id } = useParams({ strict: false }) as { id: ChatInstanceId }
  const client = useClient()
  const { grant } = usePermissions()
  const { new: isNew, warnings } = useSearch({ strict: false }) as { new?: number; warnings?: unknown }
  const instance = useQuery({
    queryKey: ['instances', id],
    queryFn: () => client.getChatInstance({ params: { id } }),
    refetchInterval: 1500,
  })
  const shown = instance.data
  return (
    <SettingsPage title={shown ? nameOfInstance(shown) : 'A chat account'} back={paths.chatInstances}>
      {isRefused(instance.error) ? (
        <Denied what="This page" needs="admin" />
      ) : (
        <Instead query={instance} what="Chat account" all="All chat accounts" to={paths.chatInstances} />
      )}
      {shown && (
        <>
          <Health instance={shown} />
          {isNew === 1 && (
            <>
              <Warnings warnings={Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : []} />
              <NextSteps platform={platformTitle(shown.platform)} />
            </>
          )}
          {shown.platform !== 'web' && grant && <Running instance={shown} />}
          {shown.platform === 'web' && (
            <p className="text-soft">
              The web chat is built in. It has no credentials, and starts with the first message.
            </p>
          )}
          <ItsChats instance={shown} mayTest={grant} />
        </>
      )}
    </SettingsPage>
  )
}

function Health({ instance }: { instance: ChatInstance }) {
  const { platform, state, stateAt, stateError } = instance
  return (
    <Card className="flex flex-col gap-1 p-4">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        {platformTitle(platform)} <InstanceBadge state={state} />
        {stateAt !== null && (
          <span className="text-sm font-normal text-soft">
            <Time at={stateAt} />
          </span>
        )}
      </p>
      {state === 'connecting' && <p className="text-soft">Waiting for the connection…</p>}
      {stateError !== null && <p className="break-words text-stop">{safeText(stateError)}</p>}
      {state === 'refused' && (
        <p className="text-soft">It does not reconnect automatically. Change the credentials, or start it again.</p>
      )}
    </Card>
  )
}

function Running({ instance }: { instance: ChatInstance }) {
  const client = useClient()
  const navigate = useNavigate()
  const [editing, setEditing] = useState(false)
  const params = { id: instance.id }
  const name = nameOfInstance(instance)
  const start = useAction(() => client.startChatInstance({ params }), { failed: 'Not started', stale })
  const stop = useAction(() => client.stopChatInstance({ params }), { failed: 'Not stopped', stale })
  const check = useAction(() => client.checkChatInstance({ params }), { failed: null })
  const remove = useAction(() => client.removeChatInstance({ params }), {
    failed: 'The account is still here',
    done: `${name} removed`,
    stale,
    whenDone: () => void navigate({ to: paths.chatInstances }),
  })
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {instance.wanted === 'running' ? (
          <Button icon="stop" disabled={stop.isPending} onClick={() => stop.mutate(undefined)}>
            Stop
          </Button>
        ) : (
          <Button tone="main" icon="play" disabled={start.isPending} onClick={() => start.mutate(undefined)}>
            Start
          </Button>
        )}
        <Button icon="check" disabled={check.isPending} onClick={() => check.mutate(undefined)}>
          {check.isPending ? 'Checking…' : 'Check credentials'}
        </Button>
        <Button icon="key" onClick={() => setEditing(true)}>
          Change credentials
        </Button>
        <ConfirmButton
          label="Remove this account"
          title={`Remove ${name}?`}
          sure="Remove"
          run={() => remove.mutate(undefined)}
        >
          Signalbox disconnects and deletes the credentials. The chats and their wirings stay, but nothing can be sent
          to them or received until an account with the same name is added.
        </ConfirmButton>
      </div>
      {check.isError && <CheckFailed error={check.error} />}
      {check.data?.self && (
        <div className="flex flex-col gap-2">
          <p role="status" className="text-clear">
            The credentials work: {safeText(check.data.self.name)}
            {check.data.self.workspace !== null && ` in ${safeText(check.data.self.workspace)}`}
          </p>
          <Warnings warnings={check.data.warnings} />
        </div>
      )}
      {editing && <ChangeCredentials instance={instance} close={() => setEditing(false)} />}
    </>
  )
}

function ChangeCredentials({ instance, close }: { instance: ChatInstance; close: () => void }) {
  const client = useClient()
  const platforms = useQuery(platformsQuery(client))
  const [entered, setEntered] = useState<Entered>({})
  const platform = platforms.data?.find(({ name }) => name === instance.platform)
  const save = useAction(
    () => client.updateChatInstance({ params: { id: instance.id }, body: { credentials: filledIn(entered) } }),
    { failed: null, done: 'Credentials changed', stale, whenDone: close },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined)
  }
  return (
    <Dialog open close={close} title="Change credentials">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-sm text-soft">Replaces all stored credentials of {nameOfInstance(instance)}.</p>
        {platforms.isError && <CheckFailed error={platforms.error} />}
        {platform && <CredentialFields platform={platform} entered={entered} enter={setEntered} />}
        {save.isError && <CheckFailed error={save.error} />}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button tone="main" type="submit" disabled={save.isPending || !platform}>
            {save.isPending ? 'Checking…' : 'Check and save'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function ItsChats({ instance, mayTest }: { instance: ChatInstance; mayTest: boolean }) {
  const client = useClient()
  const { data: chats } = useQuery(chatsQuery(client))
  const { data: groups } = useQuery(groupsQuery(client))
  const own = chats?.filter(({ instanceId }) => instanceId === instance.id)
  const test = useAction((id: MessagingGroupId) => client.testChat({ params: { id } }), {
    failed: 'No test message was sent',
    done: (_input, { connected }) =>
      connected ? 'Test message queued' : 'The account is not connected. The message is sent once it is.',
  })
  return (
    <>
      <Heading>Chats</Heading>
      {own?.length === 0 && (
        <p className="text-soft">None yet. Create an agent group, invite the app to a channel and mention it there.</p>
      )}
      {own && own.length > 0 && (
        <Rows label="Its chats">
          {own.map((chat) => (
            <Row
              key={chat.id}
              title={
                <Link to={paths.chat} params={{ id: chat.id }} className="hover:underline">
                  {nameOfChat(chat)}
                </Link>
              }
              about={namesOfListeners(groups, chat.wirings)}
            >
              {mayTest && instance.platform !== 'web' && (
                <Button icon="send" disabled={test.isPending} onClick={() => test.mutate(chat.id)}>
                  Send a test message
                </Button>
              )}
            </Row>
          ))}
        </Rows>
      )}
    </>
  )
}
