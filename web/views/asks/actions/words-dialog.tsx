import { useState } from 'react'
import { Button, type Tone } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextArea } from '../../../ui/field.tsx'
import { useInWords } from './in-words.tsx'
import { IsOver } from './is-over.tsx'

type Words = {
  title: string
  label: string
  hint?: string
  action: string
  tone?: Tone
  /** Without it, saying nothing is fine. */
  required?: boolean
  close: () => void
  send: (words: string) => void
}

/** Asks for words: a reason, an instruction. Control and Enter send them. */
export function WordsDialog({ title, label, hint, action, tone = 'main', required = false, close, send }: Words) {
  const [text, setText] = useState('')
  const [missing, setMissing] = useState(false)
  const over = useInWords()
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
        <TextArea
          label={label}
          hint={hint}
          rows={3}
          autoFocus
          value={text}
          error={missing ? 'Say what to do.' : null}
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
        <IsOver over={over} />
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
