import { useParams } from '@tanstack/react-router'
import { ApiError } from '../../api/transport.ts'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { TerminalPanel } from './terminal-panel.tsx'
import { useTerminal } from './queries.ts'

export function TerminalView() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  return <Terminal key={id} id={id} />
}

function Terminal({ id }: { id: string }) {
  const { data, error, refetch } = useTerminal(id)
  if (data) return <TerminalPanel terminal={data} refresh={() => void refetch()} />
  const isGone = error instanceof ApiError && (error.status === 404 || error.status === 400)
  return (
    <>
      <PageHead title="Terminal" back={paths.terminals} />
      {isGone ? (
        <Empty icon="terminal" title="Terminal not found">
          <p>It may belong to someone else, or was deleted with its recording.</p>
          <ButtonLink to={paths.terminals} icon="list">
            All terminals
          </ButtonLink>
        </Empty>
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Loading what="Opening the terminal…" />
      )}
    </>
  )
}
