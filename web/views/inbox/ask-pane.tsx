import { useEffect, useState, type ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { ApiError } from '../../api/transport.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { AskActions } from '../asks/ask-actions.tsx'
import { AskBody } from '../asks/ask-body.tsx'
import { AskOutcome } from '../asks/ask-outcome.tsx'
import { useForeseen } from '../asks/use-answer.ts'
import type { AskItem } from '../asks/use-inbox-item.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { AskHead } from './ask-head.tsx'
import { useAsk, usePastSession } from './use-ask.ts'

type Pane = {
  id: string
  item: AskItem | null
  resting: boolean
  sent: () => void
  /** What to do once it is answered. */
  after: ReactNode
}

/** Where the thumb is on a phone; at the end of the window on a desk. */
export const stickyBar =
  'sticky bottom-[calc(3.4rem+env(safe-area-inset-bottom))] md:bottom-0 z-10 mt-auto -mx-4 md:-mx-6 border-t ' +
  'border-line bg-ground/95 px-4 py-3 backdrop-blur md:px-6'

/** One ask, whole, with the ways to answer it; after that, what became of it. */
export function AskPane({ id, item, resting, sent, after }: Pane) {
  const { data, error, refetch } = useAsk(id, item)
  if (data) return <Shown ask={data} item={item} resting={resting} sent={sent} after={after} />
  if (!error) return <Loading what="Loading the ask …" />
  return isGone(error) ? <GoneAsk /> : <Failed error={error} retry={() => void refetch()} />
}

function Shown({ ask: known, item: listed, resting, sent, after }: Omit<Pane, 'id'> & { ask: Ask }) {
  const item = useSeen(listed)
  const ask = useForeseen(known)
  const past = usePastSession(item ? null : ask.sessionId)
  const session = item?.session ?? past
  useTitle(clip(safeText(ask.title), 80))
  return (
    <article aria-label="Ask" className="flex flex-1 flex-col gap-5 px-4 pt-4 md:px-6 md:pt-6">
      <AskHead ask={ask} session={session} />
      <AskOutcome ask={ask} />
      <AskBody ask={ask} screen={item?.screen ?? null} root={session?.workspaceRoot ?? null} />
      <AskActions ask={ask} session={item?.session ?? null} keys resting={resting} sent={sent} bar={stickyBar} />
      {ask.status !== 'open' && after && <div className={stickyBar}>{after}</div>}
    </article>
  )
}

/** What the list last said of an item that has left it. */
export function useSeen<T>(item: T | null): T | null {
  const [seen, setSeen] = useState(item)
  if (item !== null && item !== seen) setSeen(item)
  return item ?? seen
}

/** The title of the tab while an item is looked at; the list's own comes back after it. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title
    document.title = `${title} · Signalbox`
    return () => {
      document.title = before
    }
  }, [title])
}

export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)

const GoneAsk = () => (
  <Empty icon="search" title="There is no such ask">
    <p>It may be mistyped, or it belongs to a session you may not see.</p>
    <ButtonLink to={paths.inbox} icon="inbox">
      To the inbox
    </ButtonLink>
  </Empty>
)
