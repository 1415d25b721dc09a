import { isGone } from '../../api/transport.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'

/** Shown instead of one item: it loads, it is gone, or it can't be read. */
export function Instead({
  query,
  what,
  all,
  to,
}: {
  query: { isPending: boolean; isError: boolean; error: unknown; refetch: () => unknown }
  /** `Chat`. */
  what: string
  /** `All chats`. */
  all: string
  to: string
}) {
  if (query.isPending) return <Loading />
  if (!query.isError) return null
  if (!isGone(query.error)) return <Failed error={query.error} retry={() => void query.refetch()} />
  return (
    <Empty icon="chat" title={`${what} not found`}>
      <p>It was removed, you have no access to it, or the address is mistyped.</p>
      <ButtonLink to={to} icon="chat">
        {all}
      </ButtonLink>
    </Empty>
  )
}
