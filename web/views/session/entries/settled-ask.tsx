import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { canUndo } from '../../asks/bulk-answer.ts'
import { outcomeLine, outcomeSignal } from '../../asks/outcome-text.ts'
import { useActorName } from '../../asks/use-names.ts'
import { useUndo } from '../../asks/use-undo.ts'

const colours = { clear: 'text-clear', wait: 'text-wait', stop: 'text-stop', info: 'text-info', plain: 'text-soft' }

/** A closed ask and its outcome on one line, with a link to the ask. */
export const SettledAsk = memo(function SettledAsk({ ask }: { ask: Ask }) {
  const who = useActorName()
  const undo = useUndo()
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
      <Icon name="inbox" className="size-4" />
      <span className={`font-medium ${colours[outcomeSignal(ask)]}`}>
        {clip(safeText(outcomeLine(ask, who(ask.answeredBy))), 200)}
      </span>
      <Link
        to={paths.ask}
        params={{ id: ask.id }}
        className="min-w-0 flex-1 basis-40 truncate underline decoration-line-strong underline-offset-2 hover:text-text"
      >
        {clip(safeText(ask.title), 200)}
      </Link>
      {canUndo(ask) && (
        <Button tone="quiet" icon="undo" disabled={undo.isPending} onClick={() => undo.mutate(ask)}>
          Undo
        </Button>
      )}
    </div>
  )
})
