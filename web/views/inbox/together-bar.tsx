import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useSay } from '../../ui/toasts.tsx'
import { wordsOf } from '../../ui/states.tsx'
import { WordsDialog } from '../asks/actions/words-dialog.tsx'
import { isUnknown } from '../asks/lost-reply.ts'
import { useAnswer, type Answer } from '../asks/use-answer.ts'
import type { Chosen } from './use-chosen.ts'

/** Approves or rejects what was chosen, each on its own: one that is refused holds back no other. */
export function TogetherBar({ chosen, className }: { chosen: Chosen; className: string }) {
  const answer = useAnswer()
  const queries = useQueryClient()
  const say = useSay()
  const [rejecting, setRejecting] = useState(false)
  const { items } = chosen
  const send = async (given: Answer, verb: string) => {
    const asks = items.map(({ ask }) => ask)
    chosen.setChoosing(false)
    const done = await Promise.allSettled(asks.map((ask) => answer.mutateAsync({ ask, answer: given, quiet: true })))
    const refused = done.filter((one) => one.status === 'rejected')
    const good = done.length - refused.length
    const [first] = refused
    void queries.invalidateQueries({ queryKey: ['inbox'] })
    // Of what is not known it is said one by one, once it is.
    const unknown = refused.filter(({ reason }) => isUnknown(reason)).length
    const no = refused.length - unknown
    const title = [`${good} ${verb}`, ...(no > 0 ? [`${no} not`] : []), ...(unknown > 0 ? [`${unknown} unknown`] : [])]
    say(
      first
        ? { title: title.join(', '), body: wordsOf(first.reason).message, bad: true }
        : { key: 'answered', title: title.join(', ') },
    )
  }
  const count = items.length
  return (
    <div role="group" aria-label="Selected" className={`flex items-center gap-2 ${className}`}>
      <span role="status" className="min-w-0 flex-1 truncate text-sm text-soft">
        {count === 0 ? 'Select what to answer' : `${count} selected`}
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
        <WordsDialog
          title={`Reject ${count}`}
          label="Reason for all of them (optional)"
          action={`Reject ${count}`}
          tone="stop"
          close={() => setRejecting(false)}
          send={(words) => void send({ outcome: 'reject', reason: words === '' ? null : words }, 'rejected')}
        />
      )}
    </div>
  )
}
