import { useState } from 'react'
import { useShortcuts } from '../../../app/shortcuts.ts'
import type { Answer } from '../use-answer.ts'
import type { Act } from './act.ts'
import { Bar, KeyButton, Row } from './bar.tsx'
import { WordsDialog } from './words-dialog.tsx'

type Ways = {
  go: { label: string; answer: Answer }
  tell: { label: string; title: string; answer: (words: string) => Answer }
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
} satisfies Record<string, Ways>

/** An agent that wants to go on: let it, tell it how, or stop it. */
export function PromptActions({ subject, keys, resting, bar, send }: Act<'prompt' | 'wait'>) {
  const [open, setOpen] = useState<'stop' | 'tell' | null>(null)
  const close = () => setOpen(null)
  const { go, tell }: Ways = ways[subject.kind]
  const live = keys && !resting
  useShortcuts({
    a: live ? () => send(go.answer) : undefined,
    r: live ? () => setOpen('stop') : undefined,
    e: live ? () => setOpen('tell') : undefined,
  })
  return (
    <>
      <Bar className={bar}>
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
      </Bar>
      {open === 'stop' && (
        <WordsDialog
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
        <WordsDialog
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
