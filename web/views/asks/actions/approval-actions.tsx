import { useState } from 'react'
import { isGrave } from '../../../../src/domain/ask/about.ts'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { gistOf } from '../ask-labels.ts'
import { Exact } from '../body-parts.tsx'
import { CommentList, commentCount } from '../review/comment-list.tsx'
import { reviewWords } from '../review/review-words.ts'
import { useComments } from '../review/use-review.ts'
import type { AskAnswer } from '../use-answer.ts'
import type { ActionProps } from './action-props.ts'
import { ActionBar, KeyButton, Row } from './action-bar.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { MessageDialog } from './message-dialog.tsx'

const yes = { outcome: 'approve', always: false, reason: null } satisfies AskAnswer
const always: AskAnswer = { outcome: 'approve', always: true, reason: null }
const forSession: AskAnswer = { outcome: 'approve', always: false, forSession: true, reason: null }
const mayBeRule: readonly Ask['kind'][] = ['diff', 'command', 'tool']

/** Approve or reject. Critical actions are confirmed and never become a rule. */
export function ApprovalActions({ ask, keys, resting, bar, send }: ActionProps) {
  const [open, setOpen] = useState<'reject' | 'confirm' | null>(null)
  const close = () => setOpen(null)
  const grave = isGrave(ask)
  const comments = useComments(ask.id)
  /** A new chat, and several agent groups that could listen there. */
  const groups = ask.subject.kind === 'new_chat' ? ask.subject.groups : undefined
  const approve = () => (grave ? setOpen('confirm') : send(yes))
  const live = keys && !resting
  useShortcuts({ a: live && groups === undefined ? approve : undefined, r: live ? () => setOpen('reject') : undefined })
  return (
    <>
      <ActionBar className={bar}>
        <Row>
          <KeyButton
            letter="r"
            keys={keys}
            tone="stop-plain"
            icon="cross"
            disabled={resting}
            onClick={() => setOpen('reject')}
          >
            {comments.length === 0 ? 'Reject' : `Reject with ${commentCount(comments)}`}
          </KeyButton>
          {mayBeRule.includes(ask.kind) && !grave && ask.needed === 1 && (
            <Button disabled={resting} title={alwaysTitle} onClick={() => send(always)}>
              Always
            </Button>
          )}
          {ask.sessionAllowance !== undefined && !grave && (
            <Button disabled={resting} onClick={() => send(forSession)}>
              For this session
            </Button>
          )}
          {groups === undefined ? (
            <KeyButton letter="a" keys={keys} tone="main" icon="check" disabled={resting} onClick={approve}>
              Approve
            </KeyButton>
          ) : (
            groups.map(({ id, name }) => (
              <Button key={id} tone="main" disabled={resting} onClick={() => send({ ...yes, group: id })}>
                {clip(safeText(name), 40)}
              </Button>
            ))
          )}
        </Row>
        {!grave && <SessionCover what={ask.sessionAllowance} />}
      </ActionBar>
      {open === 'reject' && <RejectDialog ask={ask} close={close} send={send} />}
      {open === 'confirm' && (
        <ConfirmDialog
          title="Approve this critical action?"
          action="Yes, approve"
          close={close}
          confirm={() => send(yes)}
        >
          <p>{safeText(ask.title)}</p>
          {confirmedText(ask) !== '' && <Exact text={confirmedText(ask)} />}
        </ConfirmDialog>
      )}
    </>
  )
}

/** A command is shown whole; other asks by their main fact. */
const confirmedText = (ask: Ask): string => (ask.subject.kind === 'command' ? ask.subject.command : gistOf(ask).text)

/** What "For this session" covers, said before it is chosen. */
export const SessionCover = ({ what }: { what: string | undefined }) =>
  what === undefined ? null : (
    <p className="text-sm break-words text-muted sm:text-right">
      For this session: {safeText(what)}, without asking until the session ends.
    </p>
  )

export const alwaysTitle = 'Approve, and suggest a rule. It applies once someone confirms it.'

type RejectProps = { ask: Ask; close: () => void; send: (answer: AskAnswer) => void }

/** The reason, with the comments on lines. */
export function RejectDialog({ ask, close, send }: RejectProps) {
  const comments = useComments(ask.id)
  return (
    <MessageDialog
      title="Reject"
      label={comments.length === 0 ? 'Reason (optional)' : 'Summary (optional)'}
      hint="Sent to the agent."
      action="Reject"
      tone="stop"
      close={close}
      send={(summary) => send({ outcome: 'reject', reason: reviewWords(summary, comments) || null })}
    >
      <CommentList comments={comments} />
    </MessageDialog>
  )
}
