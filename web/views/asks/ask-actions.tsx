import type { Ask } from '../../../src/domain/ask/schema.ts'
import { safeText } from '../../ui/safe-text.ts'
import type { Act } from './actions/act.ts'
import { ApprovalActions } from './actions/approval-actions.tsx'
import { FormActions } from './actions/form-actions.tsx'
import { PermissionActions } from './actions/permission-actions.tsx'
import { PromptActions } from './actions/prompt-actions.tsx'
import { RefuseOnly } from './actions/refuse-only.tsx'
import { ReplyActions } from './actions/reply-actions.tsx'
import { useAnswer, useForeseen } from './use-answer.ts'
import { useAskPlace } from './use-inbox-item.ts'
import { OverProvider, useIsInWords } from './actions/in-words.tsx'
import { outcomeLine } from './outcome-words.ts'
import { useMe, useWho } from './use-names.ts'

type Actions = {
  ask: Ask
  /** Whose it is, where that is known. */
  session?: { ownerName: string } | null
  /** The keys a, r and e are meant for this one. */
  keys?: boolean
  /** Further classes of the row of buttons: where it sticks. */
  bar?: string
  resting?: boolean
  /** Right after an answer went out. */
  sent?: () => void
}

/** The ways to answer an open ask; nothing where it is not open. A row of buttons, last, and what has to be filled in. */
export function AskActions({ ask, session, keys = false, bar = '', resting = false, sent }: Actions) {
  const answer = useAnswer()
  const { item, known } = useAskPlace(ask.id)
  const shown = useForeseen(ask)
  const who = useWho()
  const inWords = useIsInWords()
  const isOver = shown.status !== 'open'
  const Actions = item?.mayApprove === false ? RefuseOnly : Fitting
  // Who is writing keeps what they wrote, and is told.
  if (isOver && !inWords) return null
  if (item && !item.mine) return <NotYours ask={ask} owner={(session ?? item.session)?.ownerName ?? null} />
  return (
    <OverProvider over={isOver ? outcomeLine(shown, who(shown.answeredBy)) : null}>
      <Actions
        key={ask.id}
        ask={ask}
        subject={ask.subject}
        keys={keys}
        bar={bar}
        resting={resting || isOver || !known || answer.isPending}
        send={(given) => {
          answer.mutate({ ask, answer: given })
          sent?.()
        }}
      />
    </OverProvider>
  )
}

function Fitting(act: Act) {
  const { subject } = act
  switch (subject.kind) {
    case 'permission':
      return <PermissionActions {...act} subject={subject} />
    case 'elicitation':
      return <FormActions {...act} subject={subject} />
    case 'prompt':
    case 'wait':
      return <PromptActions {...act} subject={subject} />
    case 'question':
    case 'terminal_prompt':
      return <ReplyActions {...act} subject={subject} />
    default:
      return <ApprovalActions {...act} />
  }
}

function NotYours({ ask, owner }: { ask: Ask; owner: string | null }) {
  const me = useMe()
  const consented = ask.votes.some(({ userId }) => userId === me?.id)
  return (
    <p className="rounded-lg bg-sunken px-3 py-2.5 text-soft">
      {consented
        ? `You consented. It needs ${ask.needed - ask.votes.length} more.`
        : owner === null
          ? 'Someone else answers this.'
          : `${safeText(owner)} answers this; you can view it.`}
    </p>
  )
}
