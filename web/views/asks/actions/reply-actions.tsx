import { useRef, useState } from 'react'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { useTextExpected } from '../../../app/typed-words.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { inputLook } from '../../../ui/field.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { Exact, Warning } from '../body-parts.tsx'
import type { ActionProps } from './action-props.ts'
import { ActionBar } from './action-bar.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { offersOf } from './reply-offers.ts'

const refusals = {
  question: { outcome: 'decline', label: 'Decline', title: 'Tells the agent that it gets no answer.' },
  terminal_prompt: {
    outcome: 'decline',
    label: 'Dismiss',
    title: 'Removes it from the inbox; the program keeps waiting.',
  },
  credential: { outcome: 'reject', label: 'Reject', title: 'Tells the agent that it does not get the credential.' },
} as const

/** A reply: offered answers as buttons, and a text field. Dangerous answers are confirmed. */
export function ReplyActions({
  subject,
  keys,
  resting,
  bar,
  send,
}: ActionProps<'question' | 'terminal_prompt' | 'credential'>) {
  const [text, setText] = useState('')
  const [toConfirm, setToConfirm] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const { offers, freeText, secret, danger, yes, no, label } = offersOf(subject)
  const reply = (value: string) => send({ outcome: 'reply', value })
  const answer = (value: string) => (danger === null ? reply(value) : setToConfirm(value))
  const live = keys && !resting
  // Where a text is expected, letters are text: none of them answers.
  useTextExpected(live && freeText ? 'answer' : null, field)
  useShortcuts({
    a: live && !freeText && yes !== null ? () => answer(yes) : undefined,
    r: live && !freeText && no !== null ? () => answer(no) : undefined,
    e: live ? () => field.current?.focus() : undefined,
  })
  return (
    <>
      <ActionBar className={bar}>
        {offers.length > 0 && (
          <div className="flex max-h-[40dvh] flex-wrap gap-2 overflow-y-auto p-0.5">
            {offers.map(({ value, words }, index) => (
              <Button
                key={value}
                tone={index === 0 && danger === null ? 'main' : 'plain'}
                disabled={resting}
                title={safeText(value)}
                className="min-w-16 whitespace-normal text-left break-words"
                onClick={() => answer(value)}
              >
                {clip(safeText(words), 120)}
              </Button>
            ))}
          </div>
        )}
        <form
          className="flex gap-2"
          autoComplete="off"
          onSubmit={(event) => {
            event.preventDefault()
            if (!resting) answer(text)
          }}
        >
          {freeText && (
            <>
              <input
                ref={field}
                aria-label={label}
                placeholder={label}
                type={secret ? 'password' : 'text'}
                autoComplete={secret ? 'new-password' : 'off'}
                autoCapitalize="off"
                spellCheck={false}
                value={text}
                onChange={({ target }) => setText(target.value)}
                onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
                className={`${inputLook} min-w-0 flex-1`}
              />
              <IconButton
                icon="send"
                label="Send"
                tone={offers.length === 0 || text !== '' ? 'main' : 'plain'}
                type="submit"
                disabled={resting || (text === '' && subject.kind !== 'terminal_prompt')}
              />
            </>
          )}
          <Button
            tone="quiet"
            className={freeText ? '' : 'ml-auto'}
            disabled={resting}
            title={refusals[subject.kind].title}
            onClick={() => send({ outcome: refusals[subject.kind].outcome, reason: null })}
          >
            {refusals[subject.kind].label}
          </Button>
        </form>
      </ActionBar>
      {toConfirm !== null && (
        <ConfirmDialog
          title="Type this dangerous answer?"
          action="Yes, type it"
          close={() => setToConfirm(null)}
          confirm={() => send({ outcome: 'reply', value: toConfirm, confirmed: true })}
        >
          <Warning>{safeText(danger ?? '')}</Warning>
          {!secret && <Exact text={toConfirm === '' ? 'Enter' : toConfirm} />}
        </ConfirmDialog>
      )}
    </>
  )
}
