import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'

/** Nothing waits. If no session ever ran, offers the first one. */
export function AllClear() {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['sessions', 'any'],
    queryFn: () => client.listSessions({ query: { limit: 1 } }),
  })
  const isNew = data?.total === 0
  return (
    <Empty icon="check" title="All clear">
      <p>
        {isNew
          ? 'No agent has asked for anything yet.'
          : 'No agent is waiting for you. New asks appear here automatically.'}
      </p>
      <div className="flex min-h-11 flex-wrap justify-center gap-2">
        {isNew && (
          <ButtonLink to={paths.welcome} tone="main" icon="flag">
            Take the tour
          </ButtonLink>
        )}
        <ButtonLink to={paths.newSession} icon="plus">
          Start a session
        </ButtonLink>
      </div>
    </Empty>
  )
}
