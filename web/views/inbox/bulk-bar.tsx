import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { errorText } from '../../ui/states.tsx'
import { MessageDialog } from '../asks/actions/message-dialog.tsx'
import { isUnknown } from '../asks/lost-reply.ts'
import { useAnswer, type AskAnswer } from '../asks/use-answer.ts'
import type { BulkSelection } from './use-bulk-selection.ts'

/** Approves or rejects the selected asks one by one: a refusal does not stop the others. */
export function BulkBar({ chosen, className }: { chosen: BulkSelection; className: string }) {
  const answer = useAnswer()
  const queries = useQueryClient()
  const say = useToast()
  const [rejecting, setRejecting] = useState(false)
  const { items } = chosen
  const send = async (given: AskAnswer, verb: string) => {
    const asks = items.map(({ ask }) => ask)
    chosen.setChoosing(false)
    const done = await Promise.allSettled(asks.map((ask) => answer.mutateAsync({ ask, answer: given, quiet: true })))
    const refused = done.filter((one) => one.status === 'rejected')
    const good = done.length - refused.length
    const [first] = refused
    void queries.invalidateQueries({ queryKey: ['inbox'] })
    // Unknown outcomes are reported one by one, once known.
    const unknown = refused.filter(({ reason }) => isUnknown(reason)).length
    const no = refused.length - unknown
    const title = [`${good} ${verb}`, ...(no > 0 ? [`${no} not`] : []), ...(unknown > 0 ? [`${unknown} unknown`] : [])]
    say(
      first
        ? { title: title.join(', '), body: errorText(first.reason).message, bad: true }
        : { key: 'answered', title: title.join(', ') },
    )
  }
  const count = items.length
  return (
    <div role="group" aria-label="Selected" className={`flex items-center gap-2 ${className}`}>
      <span role="status" className="min-w-0 flex-1 truncate text-sm text-soft">
        {count === 0 ? 'Select asks to answer' : `${count} selected`}
      </span>
      <Button tone="stop-plain" disabled={count === 0} onClick={() => setRejecting(true)}>
        Reject {count > 0 && count}
      </Button>
      <Button
        tone="main"
        disabled={count === 0}
        onClick={() => void send({ outcome: 'approve', always: false, reason: null }, 'approved')}
      >
        Approve {count > 0 && count}
      </Button>
      {rejecting && (
        <MessageDialog
          title={`Reject ${count}`}
          label="Reason for all (optional)"
          action={`Reject ${count}`}
          tone="stop"
          close={() => setRejecting(false)}
          send={(words) => void send({ outcome: 'reject', reason: words === '' ? null : words }, 'rejected')}
        />
      )}
    </div>
  )
}
