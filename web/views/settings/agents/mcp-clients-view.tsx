import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { McpClient } from '../../../../src/client/contract/agents.ts'
import { useClient } from '../../../api/backend.tsx'
import { usePermissions } from '../../../api/queries.ts'
import { useAction } from '../../../api/use-action.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { deniedText } from '../../../ui/denied-text.ts'
import { DeniedNote } from '../../../ui/denied.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { Heading, Row, Rows } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { remoteText, remoteClients, type RemoteClient } from './remote-text.ts'

/** Programs whose agents connect over MCP: on the server with one click, elsewhere with a text to paste. */
export function McpClientsView() {
  const client = useClient()
  const { machine } = usePermissions()
  const clients = useQuery({
    queryKey: ['mcp-clients'],
    queryFn: () => client.listMcpClients({}),
    enabled: machine,
  })
  return (
    <SettingsPage title="MCP clients">
      <p className="text-soft">
        Agents in editors and terminals connect over MCP. They ask here before they change things, and wait for answers.
      </p>
      <Heading about="Written into the configuration of the user the server runs as, for all projects.">
        On the server’s machine
      </Heading>
      {!machine && <DeniedNote>{deniedText('Connecting programs on the server’s machine', 'machine')}</DeniedNote>}
      {clients.isLoading && <Loading />}
      {clients.isError && <Failed error={clients.error} retry={() => void clients.refetch()} />}
      {clients.data && (
        <Rows label="MCP clients">
          {clients.data.clients.map((one) => (
            <ClientRow key={one.client} one={one} />
          ))}
        </Rows>
      )}
      <Elsewhere />
    </SettingsPage>
  )
}

function ClientRow({ one }: { one: McpClient }) {
  const client = useClient()
  const params = { client: one.client }
  const stale = [['mcp-clients']] as const
  const connect = useAction(() => client.connectMcpClient({ params, body: {} }), {
    failed: 'Nothing was written',
    done: `${one.title}: written. ${one.next}`,
    stale,
  })
  const disconnect = useAction(() => client.disconnectMcpClient({ params, body: {} }), {
    failed: 'Nothing was removed',
    done: `${one.title}: removed`,
    stale,
  })
  const isBusy = connect.isPending || disconnect.isPending
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {one.title}
          {one.state === 'current' && <Badge signal="clear">connected</Badge>}
          {one.state === 'other' && <Badge signal="wait">another entry</Badge>}
        </span>
      }
      about={
        <>
          <code className="font-mono text-sm break-all">{safeText(one.path)}</code>
          {one.error !== null && <span className="block text-stop">{safeText(one.error)}</span>}
          {one.text !== '' && (
            <details>
              <summary>{one.state === 'current' ? 'What is there' : 'What is written'}</summary>
              <pre
                className="mt-1 max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm whitespace-pre-wrap"
                tabIndex={0}
              >
                {safeText(one.text)}
              </pre>
            </details>
          )}
        </>
      }
    >
      {one.state === 'current' ? (
        <Button disabled={isBusy} onClick={() => disconnect.mutate(undefined)} aria-label={`Disconnect ${one.title}`}>
          Disconnect
        </Button>
      ) : (
        one.state !== 'unreadable' && (
          <Button
            tone="main"
            disabled={isBusy}
            onClick={() => connect.mutate(undefined)}
            aria-label={`${one.state === 'other' ? 'Replace the entry of' : 'Connect'} ${one.title}`}
          >
            {one.state === 'other' ? 'Replace' : 'Connect'}
          </Button>
        )
      )}
    </Row>
  )
}

const days = 90

/** A text for a client on another machine, with a token of its own. */
function Elsewhere() {
  const client = useClient()
  const [chosen, choose] = useState<RemoteClient>('claude')
  const { title, where } = remoteClients[chosen]
  const make = useAction(
    () =>
      client.createToken({
        body: {
          name: `${title} on another machine`,
          scope: 'agent',
          expiresAt: new Date(Date.now() + days * 86_400_000).toISOString(),
        },
      }),
    { failed: 'No token was made', stale: [['tokens']] },
  )
  return (
    <>
      <Heading
        about={`With a token of its own that can ask and never answer, for ${days} days. Revoke it under Tokens.`}
      >
        On another machine
      </Heading>
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-56">
          <SelectField
            label="Program"
            value={chosen}
            onChange={({ target }) => {
              choose(target.value as RemoteClient)
              make.reset()
            }}
          >
            {Object.entries(remoteClients).map(([name, one]) => (
              <option key={name} value={name}>
                {one.title}
              </option>
            ))}
          </SelectField>
        </div>
        <Button icon="key" disabled={make.isPending} onClick={() => make.mutate(undefined)}>
          Make the text
        </Button>
      </div>
      {make.data && (
        <div className="flex flex-col gap-2">
          <p>
            Add this to <code className="font-mono text-sm">{where}</code>. It is shown only once.
          </p>
          <CopyText
            text={remoteText(chosen, `${location.origin}/mcp`, make.data.token)}
            label="Copy the configuration"
          />
        </div>
      )}
    </>
  )
}
