import { useState } from 'react'
import { isGrave } from '../../../../src/domain/ask/about.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button, type Tone } from '../../../ui/button.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { allowOnce } from '../bulk-answer.ts'
import { commentCount } from '../review/comment-list.tsx'
import { useComments } from '../review/use-review.ts'
import type { ActionProps } from './action-props.ts'
import { alwaysTitle, RejectDialog, SessionCover } from './approval-actions.tsx'
import { ActionBar, KeyButton, Row } from './action-bar.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

type OfferedOption = ActionProps<'permission'>['subject']['options'][number]

const styles: Readonly<Record<OfferedOption['kind'], { words: string; tone: Tone; place: number }>> = {
  reject_always: { words: 'Always reject', tone: 'stop-plain', place: 0 },
  reject_once: { words: 'Reject', tone: 'stop-plain', place: 1 },
  allow_always: { words: 'For this session', tone: 'plain', place: 2 },
  allow_once: { words: 'Allow', tone: 'main', place: 3 },
}

/** The agent's options. We say what each one does; only its name is the agent's. */
export function PermissionActions({ ask, subject, keys, resting, bar, send }: ActionProps<'permission'>) {
  const [open, setOpen] = useState<'reject' | OfferedOption | null>(null)
  const once = allowOnce(subject)
  const grave = isGrave(ask)
  const comments = useComments(ask.id)
  const select = ({ optionId }: OfferedOption) => send({ outcome: 'select', optionId, reason: null })
  const choose = (option: OfferedOption) =>
    option.kind === 'reject_once'
      ? setOpen('reject')
      : grave && option.kind.startsWith('allow')
        ? setOpen(option)
        : select(option)
  const live = keys && !resting
  useShortcuts({
    a: live && once ? () => choose(once) : undefined,
    r: live ? () => setOpen('reject') : undefined,
  })
  const options = subject.options.toSorted((a, b) => styles[a.kind].place - styles[b.kind].place)
  const isOnly = ({ kind }: OfferedOption) => subject.options.filter((other) => other.kind === kind).length === 1
  const rejects = options.some(({ kind }) => kind === 'reject_once')
  const covered = ask.sessionAllowance
  // What can only be allowed once is not offered for longer.
  const shown = options.filter(({ kind }) => kind !== 'allow_always' || (!grave && covered !== undefined))
  return (
    <>
      <ActionBar className={bar}>
        <Row>
          {!rejects && (
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
          )}
          {shown.map((option) => {
            const { words, tone } = styles[option.kind]
            const letter = option === once ? 'a' : option.kind === 'reject_once' && isOnly(option) ? 'r' : null
            return (
              <KeyButton
                key={option.optionId}
                letter={letter ?? ''}
                keys={keys && letter !== null}
                tone={tone}
                disabled={resting}
                {...(letter === 'a' && { icon: 'check' as const })}
                {...(letter === 'r' && { icon: 'cross' as const })}
                title={`The agent’s name for it: “${safeText(option.name)}”.`}
                onClick={() => choose(option)}
              >
                {isOnly(option) ? words : clip(safeText(option.name), 40)}
                {letter === 'r' && comments.length > 0 && ` with ${commentCount(comments)}`}
              </KeyButton>
            )
          })}
          {once && !grave && ask.needed === 1 && (
            <Button
              disabled={resting}
              title={alwaysTitle}
              onClick={() => send({ outcome: 'approve', always: true, reason: null })}
            >
              Always
            </Button>
          )}
        </Row>
        {shown.some(({ kind }) => kind === 'allow_always') && <SessionCover what={covered} />}
      </ActionBar>
      {open === 'reject' && <RejectDialog ask={ask} close={() => setOpen(null)} send={send} />}
      {open !== null && open !== 'reject' && (
        <ConfirmDialog
          title="Allow this critical action?"
          action="Yes, allow"
          close={() => setOpen(null)}
          confirm={() => select(open)}
        >
          <p>{safeText(ask.title)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
