import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent } from 'react'
import { useClient } from '../../api/backend.tsx'
import { keyOf, keysOf } from '../../terminal/keys.ts'
import { createTypist, type Typist } from '../../terminal/typist.ts'
import { askedBy, type TerminalView } from '../../terminal/words.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { useSayFailed } from '../../ui/toasts.tsx'
import { KeysRow } from './keys-row.tsx'

/** Two in so short a time are meant for us, and neither for the program: so the first one waits that long. */
const twiceMs = 400

/** The keyboard, once it was taken: every key goes to the program as it is pressed, until it is given back. */
export function Keyboard({
  terminal,
  giveBack,
  takeSelection,
}: {
  terminal: TerminalView
  giveBack: () => void
  takeSelection: () => string
}) {
  const client = useClient()
  const sayFailed = useSayFailed()
  const field = useRef<HTMLTextAreaElement>(null)
  const typist = useRef<Typist>(null)
  const escape = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [hasFocus, setFocus] = useState(true)
  const [pasted, setPasted] = useState<string | null>(null)
  const asked = askedBy(terminal)
  const { sessionId: id } = terminal

  const failed = useEffectEvent((error: unknown) => {
    sayFailed(error, 'Your input did not arrive')
    giveBack()
  })
  useEffect(() => {
    const made = createTypist(
      (keys) => client.terminalInput({ params: { id }, body: { keys, pressEnter: false } }),
      (error) => failed(error),
    )
    typist.current = made
    field.current?.focus({ preventScroll: true })
    return () => {
      clearTimeout(escape.current)
      made.stop()
    }
  }, [client, id])
  // The screen is what one looks at, so touching it means typing on.
  useEffect(() => {
    const screen = document.querySelector('#screen')
    const focus = () => field.current?.focus({ preventScroll: true })
    screen?.addEventListener('click', focus)
    return () => screen?.removeEventListener('click', focus)
  }, [])

  const press = (keys: readonly string[]) => {
    const isHeld = escape.current !== undefined
    clearTimeout(escape.current)
    escape.current = undefined
    typist.current?.press(isHeld ? ['escape', ...keys] : keys)
  }
  const pressEscape = () => {
    if (escape.current !== undefined) return giveBack()
    escape.current = setTimeout(() => press([]), twiceMs)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const key = keyOf(event.nativeEvent)
    if (key === null) return
    event.preventDefault()
    event.stopPropagation()
    if (key === 'escape') return pressEscape()
    // What is marked is copied, as everywhere; else it is the program's.
    const marked = key === 'ctrl-c' ? takeSelection() : ''
    if (marked !== '') void navigator.clipboard?.writeText(marked)
    else press([key])
  }
  const take = () => {
    const input = field.current
    if (!input || input.value === '') return
    press(keysOf(input.value))
    input.value = ''
  }
  const paste = (text: string) => {
    const line = text.replace(/(?<![\r\n])[\r\n]+$/, '')
    if (/[\r\n]/.test(line)) setPasted(text)
    else press(keysOf(line))
  }
  return (
    <div className="mt-3 flex flex-col gap-2 rounded-lg border-2 border-accent bg-accent-soft p-3">
      <KeysRow press={(key) => press([key])} />
      <div className="flex items-center gap-3">
        <p role="status" className="min-w-0 flex-1 text-sm">
          <strong className="block">
            {hasFocus ? 'You have the keyboard: what you type goes to the program.' : 'Tap the screen to type on.'}
          </strong>
          {asked?.isDangerous && (
            <span className="block font-semibold text-stop">
              Dangerous: {safeText(asked.dangerReason ?? 'the answer can do harm')}.
            </span>
          )}
          {asked?.secret
            ? 'It asks for a secret and hides what you type. The secret is not stored.'
            : 'The screen is recorded: type a secret only if it is hidden.'}
        </p>
        <Button icon="keyboard" onClick={giveBack}>
          Release <span className="hidden text-sm text-soft pointer-fine:inline">Esc Esc</span>
        </Button>
      </div>
      <textarea
        ref={field}
        rows={1}
        aria-label="Keyboard of the program. Escape twice gives it back."
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onKeyDown={onKeyDown}
        onInput={(event) => {
          if (!(event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing)) take()
        }}
        onCompositionEnd={take}
        onPaste={(event) => {
          event.preventDefault()
          paste(event.clipboardData.getData('text/plain'))
        }}
        className="pointer-events-none absolute top-0 left-0 size-px scroll-mt-24 resize-none overflow-hidden text-base opacity-0"
      />
      <Dialog open={pasted !== null} close={() => setPasted(null)} title="Paste several lines?">
        <p>Each line is entered as if you had typed it. The program may take each as an answer or as a command.</p>
        <pre className="max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm whitespace-pre-wrap">
          {safeText(pasted ?? '')}
        </pre>
        <DialogActions>
          <Button onClick={() => setPasted(null)}>Don't paste</Button>
          <Button
            tone="stop"
            onClick={() => {
              press(keysOf(pasted ?? ''))
              setPasted(null)
            }}
          >
            Type all of it
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  )
}
