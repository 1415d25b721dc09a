import { useState, type ReactNode } from 'react'
import { Button, type Tone } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextArea } from '../../../ui/field.tsx'
import { useWriting, NoLongerOpen } from './answer-in-progress.tsx'

type MessageDialogProps = {
  title: string
  label: string
  hint?: string
  action: string
  tone?: Tone
  /** If unset, the text is optional. */
  required?: boolean
  close: () => void
  send: (words: string) => void
  /** Shown above the text. */
  children?: ReactNode
}

/** Asks for a text: a reason or an instruction. Ctrl-Enter sends it. */
export function MessageDialog({
  title,
  label,
  hint,
  action,
  tone = 'main',
  required = false,
  close,
  send,
  children,
}: MessageDialogProps) {
  const [text, setText] = useState('')
  const [missing, setMissing] = useState(false)
  const over = useWriting()
  const submit = () => {
    if (over !== null) return undefined
    const words = text.trim()
    if (required && words === '') return setMissing(true)
    close()
    send(words)
  }
  return (
    <Dialog open close={close} title={title}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {children}
        <TextArea
          label={label}
          hint={hint}
          rows={3}
          autoFocus
          value={text}
          error={missing ? 'Enter an instruction.' : null}
          onChange={({ target }) => {
            setText(target.value)
            setMissing(false)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            submit()
          }}
        />
        <NoLongerOpen over={over} />
        <DialogActions>
          <Button onClick={close}>{over === null ? 'Cancel' : 'Close'}</Button>
          <Button type="submit" tone={tone} disabled={over !== null}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
