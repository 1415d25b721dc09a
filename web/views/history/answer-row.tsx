import { Link } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Row } from '../../ui/rows.tsx'
import { clip, listTitle, safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { kindLabels } from '../asks/ask-labels.ts'
import { outcomeLine, outcomeSignal, verbOf } from '../asks/outcome-text.ts'
import { TakingBack } from '../asks/taking-back.tsx'
import { useActorName } from '../asks/use-names.ts'
import { useUndoState } from '../asks/use-undo.ts'

/** One answer: what, by whom, when, and what became of it. */
export function AnswerRow({ ask, title }: { ask: Ask; title: string | null }) {
  const who = useActorName()
  const undoState = useUndoState(ask)
  const line = outcomeLine(ask, who(ask.answeredBy))
  const session = title === null ? '' : clip(listTitle(title), 60)
  return (
    <Row
      title={
        <Link
          data-row
          to={paths.ask}
          params={{ id: ask.id }}
          className="break-words underline-offset-2 hover:underline"
        >
          {clip(listTitle(ask.title), 200)}
        </Link>
      }
      about={
        <>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Badge signal={outcomeSignal(ask)}>{verbOf(ask)}</Badge>
            <span className="break-words">{clip(safeText(line.slice(verbOf(ask).length)), 200)}</span>
            {ask.automatic && <span>automatically</span>}
            {ask.answeredAt !== null && <Time at={ask.answeredAt} />}
          </span>
          <span className="block break-words">
            {[kindLabels(ask), session, sinceThen(ask)].filter((part) => part !== '').join(' · ')}
          </span>
        </>
      }
    >
      <TakingBack ask={ask} undoState={undoState} />
    </Row>
  )
}

function sinceThen({ status, mayRetract }: Ask): string {
  if (status === 'failed') return 'could not be applied'
  if (status === 'applying') return 'being applied'
  return mayRetract === true ? 'not used yet' : ''
}
