import { Link } from '@tanstack/react-router'
import { memo, useRef } from 'react'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { Icon } from '../../../ui/icon.tsx'
import { clip, listTitle, safeText } from '../../../ui/safe-text.ts'
import { Time } from '../../../ui/time.tsx'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { AskActions } from '../../asks/ask-actions.tsx'
import { AskBody } from '../../asks/ask-body.tsx'
import { RiskBadge, RiskNote } from '../../asks/risk.tsx'
import { kindIcon, kindLabels } from '../../asks/ask-labels.ts'
import { Expiry } from '../../inbox/ask-facts.tsx'
import { outcomeLine, outcomeSignal } from '../../asks/outcome-text.ts'
import { useActorName } from '../../asks/use-names.ts'
import { useUndo, useUndoState } from '../../asks/use-undo.ts'
import { useWasNear } from '../../../diff/use-near-screen.ts'

type Props = { ask: Ask; ownerName: string | null; keys: boolean; resting: boolean }

/** An open ask with everything needed to answer it. */
export function OpenAsk({ ask, ownerName, keys, resting }: Props) {
  return (
    <section
      aria-label={`It asks: ${safeText(ask.title)}`}
      data-ask={ask.id}
      className={`flex min-w-0 flex-col gap-3 rounded-xl border-2 bg-panel p-3 shadow-raised sm:p-4 ${ask.riskLevel === 'critical' ? 'border-stop' : 'border-wait'}`}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
        <Icon name={kindIcon(ask.kind)} className="size-4.5" />
        <span className="font-medium">{kindLabels(ask)}</span>
        {ask.riskLevel !== 'low' && <RiskBadge ask={ask} />}
        <span className="ml-auto">
          asked <Time at={ask.createdAt} />
          {ask.expiresAt !== null && (
            <>
              , <Expiry kind={ask.kind} at={ask.expiresAt} />
            </>
          )}
        </span>
      </div>
      <RiskNote ask={ask} />
      {!saysItself(ask) && <h3 className="font-semibold break-words">{clip(safeText(ask.title), 500)}</h3>}
      <AskBody ask={ask} />
      <AskActions ask={ask} session={ownerName === null ? null : { ownerName }} keys={keys} resting={resting} />
    </section>
  )
}

/** The title of a question often repeats it. */
const saysItself = ({ title, subject }: Ask): boolean =>
  (subject.kind === 'question' && subject.question === title) ||
  (subject.kind === 'elicitation' && subject.message === title)

const colours = { clear: 'text-clear', wait: 'text-wait', stop: 'text-stop', info: 'text-info', plain: 'text-soft' }

/** A closed ask and its outcome on one line, with a link to the ask. */
export const SettledAsk = memo(function SettledAsk({ ask }: { ask: Ask }) {
  const who = useActorName()
  const undo = useUndo()
  const line = useRef<HTMLDivElement>(null)
  // A long session has hundreds of them.
  const undoState = useUndoState(ask, useWasNear(line, false))
  return (
    <div ref={line} className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
      <Icon name="inbox" className="size-4" />
      <span className={`font-medium ${colours[outcomeSignal(ask)]}`}>
        {clip(safeText(outcomeLine(ask, who(ask.answeredBy))), 200)}
      </span>
      <Link
        to={paths.ask}
        params={{ id: ask.id }}
        className="min-w-0 flex-1 basis-40 truncate underline decoration-line-strong underline-offset-2 hover:text-text"
      >
        {clip(listTitle(ask.title), 200)}
      </Link>
      {undoState === 'ready' && (
        <Button tone="quiet" icon="undo" disabled={undo.isPending} onClick={() => undo.mutate(ask)}>
          Undo
        </Button>
      )}
    </div>
  )
})
