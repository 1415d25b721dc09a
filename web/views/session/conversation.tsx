import { useMemo, useEffect, useState } from 'react'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import type { Message } from '../../../src/domain/message/schema.ts'
import { hasEnded } from '../../../src/domain/session/status.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { SidePane } from './side-pane.tsx'
import { MessageEntry } from './entries/message-entry.tsx'
import { OpenAsk, SettledAsk } from './entries/ask-entry.tsx'
import { Plan } from './entries/plan.tsx'
import { Composer } from './steer/composer.tsx'
import { timelineOf } from './thread/timeline.ts'
import { useScroll } from './thread/use-scroll.ts'
import { useSessionAsks } from './session-hooks.ts'
import { useThread } from './thread/use-thread.ts'
import { turnOf, type RunningTurn } from './steer/current-turn.ts'
import { stepsOf } from './entries/plan-steps.ts'

const noMessages: readonly Message[] = []

type Props = { session: SessionDetail; ownerName: string | null; mayAct: boolean }

/** All messages, tool calls and asks, newest last, with the composer below. */
export function Conversation({ session, ownerName, mayAct }: Props) {
  const { id } = session
  const { query, older, loadOlder } = useThread(id)
  const { asks, open } = useSessionAsks(id)
  const thread = query.data
  const entries = useMemo(() => (thread ? timelineOf(thread.messages, asks, thread.next === null) : []), [thread, asks])
  const keys = useMemo(() => [...entries.map(({ key }) => key), ...open.map((ask) => ask.id)], [entries, open])
  const { frame, atEnd, behind, toEnd } = useScroll(keys, () => void loadOlder())
  const over = hasEnded(session.status) || session.status === 'interrupted'
  const isEmpty = thread !== undefined && keys.length === 0

  const resting = useJustReplaced(open[0]?.id ?? null)
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <div
          ref={frame}
          role="log"
          aria-label="Conversation"
          aria-live="off"
          tabIndex={0}
          className="min-h-0 flex-1 [overflow-anchor:none] overflow-y-auto overscroll-contain outline-offset-[-2px]"
        >
          <h2 className="sr-only">Conversation</h2>
          <div className="flex flex-col">
            <Older state={older} more={thread?.next !== null && thread !== undefined} load={() => void loadOlder()} />
          </div>
          <div
            data-waiting={open.length > 0}
            className="mx-auto flex w-full max-w-4xl flex-col gap-3.5 px-4 py-5 md:px-6"
          >
            {query.isPending && <Loading what="Loading the conversation…" />}
            {query.isError && !thread && <Failed error={query.error} retry={() => void query.refetch()} />}
            {isEmpty && <NothingYet session={session} />}
            {entries.map((entry) =>
              entry.kind === 'message' ? (
                <MessageEntry key={entry.key} message={entry.message} root={session.workspaceRoot} over={over} />
              ) : (
                <SettledAsk key={entry.key} ask={entry.ask} />
              ),
            )}
            {session.progressSnapshot && <Plan title="Progress" steps={session.progressSnapshot} />}
            {open.map((ask, index) => (
              <OpenAsk key={ask.id} ask={ask} ownerName={ownerName} keys={index === 0} resting={resting} />
            ))}
            <WorkingIndicator session={session} messages={thread?.messages ?? []} waiting={open.length > 0} />
          </div>
        </div>
        <div className="relative shrink-0">
          {!atEnd && (
            <Button
              icon="down"
              className="absolute -top-14 left-1/2 z-10 -translate-x-1/2 rounded-full! shadow-float"
              onClick={toEnd}
            >
              {behind > 0 ? `${behind} new` : 'Jump to latest'}
            </Button>
          )}
          <Composer session={session} mayAct={mayAct} ownerName={ownerName} sent={toEnd} />
        </div>
        <p className="sr-only" aria-live="polite">
          {open.length > 0 ? `${open.length} open ${open.length === 1 ? 'ask' : 'asks'} of this session` : ''}
        </p>
      </div>
      <SidePane session={session} messages={thread?.messages ?? noMessages} />
    </div>
  )
}

type OlderProps = { state: { error: unknown } | 'loading' | null; more: boolean; load: () => void }

const Older = ({ state, more, load }: OlderProps) => {
  if (!more) return null
  if (state !== null && state !== 'loading') return <Failed error={state.error} retry={load} />
  return (
    <Button tone="quiet" className="mt-3 self-center" disabled={state === 'loading'} onClick={load}>
      {state === 'loading' ? 'Loading older…' : 'Load older'}
    </Button>
  )
}

const NothingYet = ({ session }: { session: SessionDetail }) => (
  <Empty icon="sessions" title="No messages yet">
    <p>
      {session.protocolMode === 'mcp'
        ? 'Messages and asks of the agent appear here.'
        : 'Say below what the agent should do.'}
    </p>
  </Empty>
)

/** A second press this soon is meant for the answered item, not for the one that replaced it. */
const restMs = 350

/** True for a moment after another item replaced the previous one. */
function useJustReplaced(id: string | null): boolean {
  const [settled, setSettled] = useState(id)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(id), restMs)
    return () => clearTimeout(timer)
  }, [id])
  return settled !== null && settled !== id
}

type IndicatorProps = { session: SessionDetail; messages: readonly Message[]; waiting: boolean }

/** Shows that the agent is working, since when and on what. Its space is reserved, so that nothing moves. */
function WorkingIndicator({ session, messages, waiting }: IndicatorProps) {
  const turn = turnOf(session)
  const words = wordsOf(session, turn, waiting)
  const step = words === 'Running' ? stepNow(messages) : null
  return (
    <p role="status" className="flex h-6 items-center gap-2 text-sm text-soft">
      {words !== null && (
        <>
          <span className="size-2 shrink-0 animate-pulse rounded-full bg-info" aria-hidden="true" />
          <span className="shrink-0">
            {words}
            {turn?.startedAt && (
              <>
                , began <Time at={turn.startedAt} />
              </>
            )}
          </span>
          {step !== null && <span className="min-w-0 truncate">· {step}</span>}
        </>
      )}
    </p>
  )
}

function wordsOf({ status }: SessionDetail, turn: RunningTurn | null, waiting: boolean): string | null {
  if (status === 'created') return 'The agent is starting…'
  if (status !== 'active' || !turn || waiting) return null
  return turn.cancelled ? 'Stopping …' : 'Running'
}

/** The current step of its last plan. */
function stepNow(messages: readonly Message[]): string | null {
  const plan = messages.findLast(({ content }) => content.type === 'plan')?.content
  if (plan?.type !== 'plan') return null
  const steps = stepsOf(plan.steps)
  const at = steps.findIndex(({ status }) => status === 'in_progress')
  const now = steps[at]
  return now ? `step ${at + 1} of ${steps.length}: ${clip(safeText(now.label), 120)}` : null
}
