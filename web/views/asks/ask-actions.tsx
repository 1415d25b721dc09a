import type { Ask } from '../../../src/domain/ask/schema.ts'
import { DeniedNote } from '../../ui/denied.tsx'
import { deniedText, ownersOnly } from '../../ui/denied-text.ts'
import type { ActionProps } from './actions/action-props.ts'
import { ApprovalActions } from './actions/approval-actions.tsx'
import { FormActions } from './actions/form-actions.tsx'
import { PermissionActions } from './actions/permission-actions.tsx'
import { PromptActions } from './actions/prompt-actions.tsx'
import { reviewWords } from './review/review-words.ts'
import { useComments } from './review/use-review.ts'
import { ReplyActions } from './actions/reply-actions.tsx'
import { useAnswer, useExpectedAsk, type AskAnswer } from './use-answer.ts'
import { useAskPlace } from './use-inbox-item.ts'
import { ClosedProvider, useIsWriting } from './actions/answer-in-progress.tsx'
import { outcomeLine } from './outcome-text.ts'
import { useMe, useActorName } from './use-names.ts'
import { outcomesOf } from '../../../src/domain/ask/outcomes.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { ActionBar, KeyButton, Row } from './actions/action-bar.tsx'

type Actions = {
  ask: Ask
  /** Name of the owner, if known. */
  session?: { ownerName: string } | null
  /** The keys a, r and e act on this ask. */
  keys?: boolean
  /** Extra classes for a sticky row of buttons. */
  bar?: string
  resting?: boolean
  /** Called when an answer was sent. */
  sent?: () => void
}

/** The controls to answer an open ask; nothing if it is not open. */
export function AskActions({ ask, session, keys = false, bar = '', resting = false, sent }: Actions) {
  const answer = useAnswer()
  const { item, known } = useAskPlace(ask.id)
  const shown = useExpectedAsk(ask)
  const who = useActorName()
  const inWords = useIsWriting()
  const isOver = shown.status !== 'open'
  const Actions = item?.mayApprove === false ? RejectOnly : Fitting
  // Keep the text of a person who is writing, and tell them.
  if (isOver && !inWords) return null
  if (item && !item.mine) return <NotYours ask={ask} owner={(session ?? item.session)?.ownerName ?? null} />
  return (
    <ClosedProvider over={isOver ? outcomeLine(shown, who(shown.answeredBy)) : null}>
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
    </ClosedProvider>
  )
}

function Fitting(act: ActionProps) {
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
    case 'credential':
      return <ReplyActions {...act} subject={subject} />
    default:
      return <ApprovalActions {...act} />
  }
}

function NotYours({ ask, owner }: { ask: Ask; owner: string | null }) {
  const me = useMe()
  const consented = ask.votes.some(({ userId }) => userId === me?.id)
  return (
    <DeniedNote>
      {consented ? `You approved. ${ask.needed - ask.votes.length} more needed.` : ownersOnly(owner, 'answer this')}
    </DeniedNote>
  )
}

const ways = [
  { outcome: 'reject', label: 'Reject' },
  { outcome: 'decline', label: 'Decline' },
  { outcome: 'stop', label: 'Stop' },
] as const satisfies readonly { outcome: AskAnswer['outcome']; label: string }[]

/** For people who may only reject: the agent runs as the server's user, and they lack the machine right. */
function RejectOnly({ ask, subject, keys, resting, bar, send }: ActionProps) {
  const comments = useComments(ask.id)
  const way = ways.find(({ outcome }) => outcomesOf[subject.kind].includes(outcome))
  const refuse = () => way && send({ outcome: way.outcome, reason: reviewWords('', comments) || null })
  useShortcuts({ r: keys && !resting ? refuse : undefined })
  return (
    <>
      <DeniedNote>{deniedText('Approving what an agent without a sandbox asks', 'machine')}</DeniedNote>
      {way && (
        <ActionBar className={bar}>
          <Row>
            <KeyButton letter="r" keys={keys} tone="stop-plain" icon="cross" disabled={resting} onClick={refuse}>
              {way.label}
            </KeyButton>
          </Row>
        </ActionBar>
      )}
    </>
  )
}
