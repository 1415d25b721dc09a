import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, type ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import type { SessionId } from '../../../src/domain/session/id.ts'
import { hasEnded } from '../../../src/domain/session/status.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { sessionQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { isGone } from '../../api/transport.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { AskActions } from '../asks/ask-actions.tsx'
import { AskBody } from '../asks/ask-body.tsx'
import { AskOutcome } from '../asks/ask-outcome.tsx'
import { useExpectedAsk } from '../asks/use-answer.ts'
import { useUndoLast } from '../asks/use-undo.ts'
import { useSessionAsks } from '../session/session-hooks.ts'
import { useThread } from '../session/thread/use-thread.ts'
import { isAllowed, tourOf, type TourStep, type StepName, type StepState } from './tour.ts'

const titles: Readonly<Record<StepName, string>> = {
  read: 'It reads a file',
  write: 'It asks to write a file: check the diff, then approve',
  written: 'File written',
  command: 'It asks to run a command',
  question: 'It asks a question',
}

/** The tour: finished steps, the current one, and those to come. */
export function Tour({ id }: { id: SessionId }) {
  const session = useQuery(sessionQuery(useClient(), id))
  const { query: thread } = useThread(id)
  const { asks } = useSessionAsks(id)
  const undoLast = useUndoLast()
  useShortcuts({ u: undoLast })
  const error = session.error ?? thread.error
  if (isGone(error))
    return (
      <Empty icon="sessions" title="Session not found">
        <p>This tour belongs to another person, or was removed.</p>
        <ButtonLink icon="refresh" to={paths.welcome} search={{}}>
          Start again
        </ButtonLink>
      </Empty>
    )
  if (error) return <Failed error={error} retry={() => void Promise.all([session.refetch(), thread.refetch()])} />
  if (!session.data || !thread.data) return <Loading what="The practice agent is starting…" />
  const steps = tourOf(thread.data.messages, asks)
  const written = steps.find(({ name }) => name === 'written')?.state === 'done'
  const write = steps.find(({ name }) => name === 'write')?.ask ?? null
  const over = steps.every(({ state }) => state === 'done')
  const lost = hasEnded(session.data.status) && !over
  return (
    <div className="flex flex-col gap-4">
      <ol aria-label="Steps" className="flex flex-col gap-3">
        {steps.map((step, index) => (
          <StepCard key={step.name} step={step} number={index + 1} />
        ))}
      </ol>
      {lost && (
        <Card className="p-4">
          <p>The practice agent ended early ({session.data.status}).</p>
          <ButtonLink className="mt-3" icon="refresh" to={paths.welcome} search={{}}>
            Start again
          </ButtonLink>
        </Card>
      )}
      {written && <WhatNext id={id} over={over} allowed={write !== null && isAllowed(write)} />}
    </div>
  )
}

function StepCard({ step, number }: { step: TourStep; number: number }) {
  const { name, state } = step
  return (
    <li aria-current={state === 'now' ? 'step' : undefined}>
      <Card className={`p-4 ${state === 'now' ? 'border-accent!' : ''}`}>
        <div className="flex items-center gap-3">
          <Mark state={state} number={number} />
          <h2 className={`font-semibold ${state === 'todo' ? 'text-soft' : ''}`}>{titles[name]}</h2>
          <span className="ml-auto text-sm whitespace-nowrap text-soft">
            {state === 'now' ? (step.ask?.status === 'open' ? 'your turn' : 'now') : state === 'done' ? 'done' : ''}
          </span>
        </div>
        <Inside step={step} />
      </Card>
    </li>
  )
}

const marks: Readonly<Record<StepState, string>> = {
  todo: 'bg-sunken text-soft',
  now: 'bg-accent text-on-accent',
  done: 'bg-clear-soft text-clear',
}

const Mark = ({ state, number }: { state: StepState; number: number }) => (
  <span className={`grid size-7 shrink-0 place-items-center rounded-full text-sm font-semibold ${marks[state]}`}>
    {state === 'done' ? <Icon name="check" className="size-4" /> : number}
  </span>
)

function Inside({ step: { name, state, ask } }: { step: TourStep }) {
  if (name === 'read')
    return state === 'now' ? <Words>It reads files in its repo. That needs no approval.</Words> : null
  if (name === 'written') return <Written ask={ask} state={state} />
  if (ask) return <CurrentAsk ask={ask} first={name === 'write'} />
  return state === 'now' ? <Words>Coming up.</Words> : null
}

const Words = ({ children }: { children: ReactNode }) => <div className="mt-2 ml-10 text-soft">{children}</div>

/** The ask as shown in the inbox; the shortcut keys act on it. */
function CurrentAsk({ ask, first }: { ask: Ask; first: boolean }) {
  const shown = useExpectedAsk(ask)
  const box = useRef<HTMLDivElement>(null)
  const isOpen = shown.status === 'open'
  useEffect(() => {
    if (!isOpen) return
    box.current?.focus({ preventScroll: true })
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  if (!isOpen) return first ? null : <ClosedStep ask={shown} />
  return (
    <div ref={box} tabIndex={-1} className="mt-3 flex min-w-0 flex-col gap-3 outline-none">
      {first && (
        <p className="text-soft">
          Green lines are additions. Nothing is written until you approve.{' '}
          <span className="hidden pointer-fine:inline">
            Keyboard: <kbd className="font-mono font-semibold">a</kbd> allows,{' '}
            <kbd className="font-mono font-semibold">r</kbd> rejects.
          </span>
        </p>
      )}
      <AskBody ask={ask} />
      <AskActions ask={ask} keys />
    </div>
  )
}

const ClosedStep = ({ ask }: { ask: Ask }) => (
  <div className="mt-3">
    <AskOutcome ask={ask} />
  </div>
)

function Written({ ask, state }: { ask: Ask | null; state: StepState }) {
  if (!ask || ask.status === 'open') return null
  if (!isAllowed(ask))
    return <Words>You did not allow it, so nothing was written. The agent continues without it.</Words>
  return (
    <>
      <Words>
        {state === 'now'
          ? 'The agent has your answer and is writing.'
          : ask.undoneAt === null
            ? 'You approved it, and it is done. To restore the earlier files, use undo.'
            : 'Undone: the file is restored.'}
      </Words>
      <ClosedStep ask={ask} />
    </>
  )
}

type NextStep = { icon: IconName; title: string; about: string; to: string; search?: Record<string, string> }

const ways: readonly NextStep[] = [
  {
    icon: 'play',
    title: 'Start a real agent',
    about: 'In one of your repos. Agents that are not installed show how to install them.',
    to: paths.newSession,
  },
  {
    icon: 'phone',
    title: 'Pair your phone',
    about: 'Get notifications and answer from anywhere.',
    to: paths.notifications,
  },
  {
    icon: 'list',
    title: 'Use rules',
    about: 'Approve routine actions automatically. Write a policy and test it on past asks.',
    to: paths.policy,
  },
]

/** Where to go from here. */
const WhatNext = ({ id, over, allowed }: { id: string; over: boolean; allowed: boolean }) => (
  <Card className="flex flex-col gap-4 p-5">
    <h2 className="text-lg font-semibold">
      {over ? "That's it. What next?" : allowed ? 'Your first change is approved' : 'You rejected it'}
    </h2>
    <p className="text-soft">
      {over ? 'Agents always ask this way.' : 'The agent continues above with a command and a question. Or continue:'}{' '}
      <Link to={paths.session} params={{ id }} className="text-link underline">
        See the whole session
      </Link>
    </p>
    <ul className="grid gap-2 sm:grid-cols-3">
      {ways.map(({ icon, title, about, to }) => (
        <li key={title}>
          <Link to={to} className="flex h-full flex-col gap-1 rounded-lg border border-line-strong p-3 hover:bg-sunken">
            <Icon name={icon} className="size-5 text-accent" />
            <span className="font-medium">{title}</span>
            <span className="text-sm text-soft">{about}</span>
          </Link>
        </li>
      ))}
    </ul>
    <div className="flex flex-col gap-2">
      <p className="text-sm text-soft">
        An agent that runs elsewhere connects over MCP, with a token from{' '}
        <Link to={paths.tokens} className="text-link underline">
          Settings
        </Link>
        , at
      </p>
      <CopyText text={`${location.origin}/mcp`} label="Copy the address" />
    </div>
    <ButtonLink className="self-start" tone="quiet" icon="inbox" to={paths.inbox}>
      Go to the inbox
    </ButtonLink>
  </Card>
)
