import { useState } from 'react'
import { isGrave } from '../../../../src/domain/ask/about.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button, type Tone } from '../../../ui/button.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { allowOnce } from '../bulk-answer.ts'
import type { ActionProps } from './action-props.ts'
import { alwaysTitle, RejectDialog } from './approval-actions.tsx'
import { ActionBar, KeyButton, Row } from './action-bar.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

type OfferedOption = ActionProps<'permission'>['subject']['options'][number]

const styles: Readonly<Record<OfferedOption['kind'], { words: string; tone: Tone; place: number }>> = {
  reject_always: { words: 'Always reject', tone: 'stop-plain', place: 0 },
  reject_once: { words: 'Reject', tone: 'stop-plain', place: 1 },
  allow_always: { words: 'Always', tone: 'plain', place: 2 },
  allow_once: { words: 'Allow', tone: 'main', place: 3 },
}

/** The agent's options. We say what each one does; only its name is the agent's. */
export function PermissionActions({ ask, subject, keys, resting, bar, send }: ActionProps<'permission'>) {
  const [open, setOpen] = useState<'reject' | OfferedOption | null>(null)
  const once = allowOnce(subject)
  const grave = isGrave(ask)
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
  const offersAlways = options.some(({ kind }) => kind === 'allow_always')
  const shown = options.filter(({ kind }) => !(grave && kind === 'allow_always'))
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
              Reject
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
                title={`${option.kind === 'allow_always' ? `${alwaysTitle} ` : ''}The agent’s name for it: “${safeText(option.name)}”.`}
                onClick={() => choose(option)}
              >
                {isOnly(option) ? words : clip(safeText(option.name), 40)}
              </KeyButton>
            )
          })}
          {!offersAlways && once && !grave && ask.needed === 1 && (
            <Button
              disabled={resting}
              title={alwaysTitle}
              onClick={() => send({ outcome: 'approve', always: true, reason: null })}
            >
              Always
            </Button>
          )}
        </Row>
      </ActionBar>
      {open === 'reject' && <RejectDialog close={() => setOpen(null)} send={send} />}
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
