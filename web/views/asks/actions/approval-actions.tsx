import { useState } from 'react'
import { isGrave } from '../../../../src/domain/ask/about.ts'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { gistOf } from '../ask-labels.ts'
import { Exact } from '../body-parts.tsx'
import type { AskAnswer } from '../use-answer.ts'
import type { ActionProps } from './action-props.ts'
import { ActionBar, KeyButton, Row } from './action-bar.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { MessageDialog } from './message-dialog.tsx'

const yes = { outcome: 'approve', always: false, reason: null } satisfies AskAnswer
const always: AskAnswer = { outcome: 'approve', always: true, reason: null }
const mayBeRule: readonly Ask['kind'][] = ['diff', 'command', 'tool']

/** Approve or reject. Critical actions are confirmed and never become a rule. */
export function ApprovalActions({ ask, keys, resting, bar, send }: ActionProps) {
  const [open, setOpen] = useState<'reject' | 'confirm' | null>(null)
  const close = () => setOpen(null)
  const grave = isGrave(ask)
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
            Reject
          </KeyButton>
          {mayBeRule.includes(ask.kind) && !grave && ask.needed === 1 && (
            <Button disabled={resting} title={alwaysTitle} onClick={() => send(always)}>
              Always
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
      </ActionBar>
      {open === 'reject' && <RejectDialog close={close} send={send} />}
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

export const alwaysTitle = 'Approve, and suggest a rule. It applies once someone confirms it.'

export const RejectDialog = ({ close, send }: { close: () => void; send: (answer: AskAnswer) => void }) => (
  <MessageDialog
    title="Reject"
    label="Reason (optional)"
    hint="Sent to the agent."
    action="Reject"
    tone="stop"
    close={close}
    send={(words) => send({ outcome: 'reject', reason: words === '' ? null : words })}
  />
)
