import type { Ask } from '../../../src/domain/ask/schema.ts'
import { Button } from '../../ui/button.tsx'
import { useRetract } from './use-retract.ts'
import { useUndo, type UndoState } from './use-undo.ts'

/** Undo what was applied, or retract what was not. Nothing if neither is possible. */
export function TakingBack({ ask, undoState }: { ask: Ask; undoState: UndoState | null }) {
  const undo = useUndo()
  const retract = useRetract()
  return (
    <>
      {undoState === 'ready' && (
        <Button icon="undo" disabled={undo.isPending} onClick={() => undo.mutate(ask)}>
          Undo
        </Button>
      )}
      {ask.mayRetract === true && (
        <Button icon="cross" disabled={retract.isPending} onClick={() => retract.mutate(ask)}>
          Retract
        </Button>
      )}
    </>
  )
}
