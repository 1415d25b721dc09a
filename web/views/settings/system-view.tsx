import { isRefused } from '../../api/transport.ts'
import { DeniedNote, DeniedOrFailed } from '../../ui/denied.tsx'
import { deniedText } from '../../ui/denied-text.ts'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { Badge, type Signal } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { DeadLetterRows, lettersQuery } from '../chats/dead-letters.tsx'
import { SettingsPage } from './settings-page.tsx'

const signals: Readonly<Record<'ok' | 'warn' | 'fail', Signal>> = { ok: 'clear', warn: 'wait', fail: 'stop' }

export function SystemView() {
  const client = useClient()
  const status = useQuery({ queryKey: ['system', 'status'], queryFn: () => client.getStatus({}) })
  const doctor = useQuery({ queryKey: ['system', 'doctor'], queryFn: async () => (await client.getDoctor({})).checks })
  const again = () => {
    void status.refetch()
    void doctor.refetch()
  }
  return (
    <SettingsPage
      title="System"
      actions={
        <Button icon="refresh" disabled={doctor.isFetching} onClick={again}>
          Check again
        </Button>
      }
    >
      {status.isPending && <Loading />}
      {status.isError && <DeniedOrFailed error={status.error} needs="admin" retry={again} />}
      {status.data && (
        <Card className="p-4">
          <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5">
            <Fact name="Version">{status.data.version}</Fact>
            <Fact name="Address">{status.data.address}</Fact>
            <Fact name="Started">
              <Time at={status.data.startedAt} />, process {status.data.pid}
            </Fact>
            <Fact name="Database">{status.data.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}</Fact>
            {status.data.dataDirectory !== null && <Fact name="Data">{status.data.dataDirectory}</Fact>}
            <Fact name="Sessions">{status.data.sessions}</Fact>
            <Fact name="Open asks">{status.data.openAsks}</Fact>
          </dl>
        </Card>
      )}
      <Heading about="The checks of signalbox doctor, run by the server.">Health</Heading>
      {doctor.isPending && <Loading what="Checking …" />}
      {doctor.isError &&
        (isRefused(doctor.error) ? (
          <DeniedNote>{deniedText('Checking the server', 'admin')}</DeniedNote>
        ) : (
          <Failed error={doctor.error} retry={again} />
        ))}
      {doctor.data && (
        <Rows label="Checks">
          {doctor.data.map(({ name, status: state, detail, hint }) => (
            <Row
              key={name}
              title={name}
              about={
                <>
                  {detail}
                  {hint && <span className="block text-text">{hint}</span>}
                </>
              }
            >
              <Badge signal={signals[state]}>{state}</Badge>
            </Row>
          ))}
        </Rows>
      )}
      <DeadLetters />
    </SettingsPage>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="break-words">{children}</dd>
  </>
)

function DeadLetters() {
  const letters = useQuery(lettersQuery(useClient()))
  if (!letters.data) return null
  return (
    <>
      <Heading about="Events that could not be handled, and messages that could not be sent. They are kept for a retry.">
        Dead letters
      </Heading>
      {letters.data.length === 0 ? (
        <p className="text-soft">None: all events were handled.</p>
      ) : (
        <DeadLetterRows letters={letters.data} />
      )}
    </>
  )
}
