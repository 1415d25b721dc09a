import { useState } from 'react'
import { useShortcuts } from '../../../app/shortcuts.ts'
import type { AskAnswer } from '../use-answer.ts'
import type { ActionProps } from './action-props.ts'
import { ActionBar, KeyButton, Row } from './action-bar.tsx'
import { MessageDialog } from './message-dialog.tsx'

type PromptLabels = {
  go: { label: string; answer: AskAnswer }
  tell: { label: string; title: string; answer: (words: string) => AskAnswer }
}

const ways = {
  prompt: {
    go: { label: 'Continue', answer: { outcome: 'continue' } },
    tell: {
      label: 'Refine',
      title: 'Refine',
      answer: (instruction) => ({ outcome: 'refine', instruction }),
    },
  },
  wait: {
    go: { label: 'Resume', answer: { outcome: 'resume', instruction: null } },
    tell: {
      label: 'Instruct',
      title: 'Resume with an instruction',
      answer: (instruction) => ({ outcome: 'resume', instruction }),
    },
  },
} satisfies Record<string, PromptLabels>

/** An agent that asks to continue: let it, instruct it, or stop it. */
export function PromptActions({ subject, keys, resting, bar, send }: ActionProps<'prompt' | 'wait'>) {
  const [open, setOpen] = useState<'stop' | 'tell' | null>(null)
  const close = () => setOpen(null)
  const { go, tell }: PromptLabels = ways[subject.kind]
  const live = keys && !resting
  useShortcuts({
    a: live ? () => send(go.answer) : undefined,
    r: live ? () => setOpen('stop') : undefined,
    e: live ? () => setOpen('tell') : undefined,
  })
  return (
    <>
      <ActionBar className={bar}>
        <Row>
          <KeyButton letter="r" keys={keys} tone="stop-plain" disabled={resting} onClick={() => setOpen('stop')}>
            Stop
          </KeyButton>
          <KeyButton letter="e" keys={keys} disabled={resting} onClick={() => setOpen('tell')}>
            {tell.label}
          </KeyButton>
          <KeyButton letter="a" keys={keys} tone="main" disabled={resting} onClick={() => send(go.answer)}>
            {go.label}
          </KeyButton>
        </Row>
      </ActionBar>
      {open === 'stop' && (
        <MessageDialog
          title="Stop"
          label="Reason (optional)"
          hint="Tells the agent to stop, and why."
          action="Stop"
          tone="stop"
          close={close}
          send={(words) => send({ outcome: 'stop', reason: words === '' ? null : words })}
        />
      )}
      {open === 'tell' && (
        <MessageDialog
          title={tell.title}
          label="What should it do?"
          action="Send"
          required
          close={close}
          send={(words) => send(tell.answer(words))}
        />
      )}
    </>
  )
}
