import type { Ask } from '../../../src/domain/ask/schema.ts'
import { Badge } from '../../ui/badge.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { Code, PlainText } from './body-parts.tsx'
import { outcomeLine, outcomeSignal, verbOf } from './outcome-text.ts'
import { useActorName } from './use-names.ts'
import { TakingBack } from './taking-back.tsx'
import { useUndoState } from './use-undo.ts'

/** The outcome of an ask: who answered what and when, what was written, and undo. Nothing while it is open. */
export function AskOutcome({ ask }: { ask: Ask }) {
  const who = useActorName()
  const undoState = useUndoState(ask)
  if (ask.status === 'open') return null
  const line = outcomeLine(ask, who(ask.answeredBy))
  const at = ask.answeredAt ?? ask.consumedAt
  const [word = '', ...rest] = ask.answer ? [verbOf(ask), line.slice(verbOf(ask).length)] : line.split(':')
  return (
    <section
      aria-label="Outcome"
      className="flex flex-wrap items-start gap-x-4 gap-y-2 rounded-xl border border-line bg-panel p-3 pl-4"
    >
      <div role="status" className="flex min-w-0 flex-1 flex-col gap-1.5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Badge signal={outcomeSignal(ask)}>{word}</Badge>
          <span className="break-words">{clip(safeText(rest.join(':').trim()), 300)}</span>
          {at !== null && <Time at={at} className="text-sm text-soft" />}
        </p>
        <AnswerText ask={ask} />
        {ask.approvedBy !== null && <p className="text-sm text-soft">Approved before by {who(ask.approvedBy)}.</p>}
        <Applied ask={ask} />
        {undoState === 'nothing' && ask.subject.kind === 'permission' && (
          <p className="text-sm text-soft">The agent has changed no file with this so far.</p>
        )}
      </div>
      <TakingBack ask={ask} undoState={undoState} />
    </section>
  )
}

/** The text of the answer. */
function AnswerText({ ask: { answer, subject, reason } }: { ask: Ask }) {
  const said = answer === null ? null : wordsIn(answer)
  const isSecret = subject.kind === 'terminal_prompt' && subject.secret
  return (
    <>
      {said !== null && <PlainText text={isSecret ? 'With a secret, which is not stored.' : clip(said, 2000)} />}
      {reason !== null && reason !== said && <p className="text-sm break-words text-soft">{safeText(reason)}</p>}
    </>
  )
}

function wordsIn(answer: NonNullable<Ask['answer']>): string | null {
  if (answer.outcome === 'reply') return answer.value === '' ? 'Enter' : answer.value
  if (answer.outcome === 'refine' || answer.outcome === 'resume') return answer.instruction
  if (answer.outcome === 'accept') return JSON.stringify(answer.content)
  return 'reason' in answer && answer.reason !== '' ? answer.reason : null
}

/** What the answer did to files. */
function Applied({ ask }: { ask: Ask }) {
  const { status, undoneAt } = ask
  const files = filesIn(ask.result)
  if (undoneAt !== null)
    return (
      <p className="text-sm text-soft">
        Files restored <Time at={undoneAt} />.
      </p>
    )
  if (status === 'applying') return <p className="text-sm text-soft">It is being applied.</p>
  if (status === 'failed') return <p className="text-sm text-stop">Could not be applied.</p>
  if (status === 'answered' && ask.subject.kind === 'diff' && ask.answer?.outcome === 'approve')
    return <p className="text-sm text-soft">The agent applies it when it continues.</p>
  if (files.length === 0) return null
  return (
    <ul className="text-sm">
      {files.map(({ path, bytes }) => (
        <li key={path}>
          <Code>{path}</Code> <span className="text-soft">{bytes === null ? 'written' : `${bytes} bytes written`}</span>
        </li>
      ))}
    </ul>
  )
}

function filesIn(result: unknown): { path: string; bytes: number | null }[] {
  const { filesWritten } = (result ?? {}) as { filesWritten?: unknown }
  return (Array.isArray(filesWritten) ? filesWritten : []).flatMap((file: unknown) => {
    const { path, bytes } = (file ?? {}) as { path?: unknown; bytes?: unknown }
    return typeof path === 'string' ? [{ path, bytes: typeof bytes === 'number' ? bytes : null }] : []
  })
}
