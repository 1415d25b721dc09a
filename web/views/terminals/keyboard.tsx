import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent } from 'react'
import { useClient } from '../../api/backend.tsx'
import { keyOf, keysOf } from '../../terminal/keys.ts'
import { createKeySender, type KeySender } from '../../terminal/key-sender.ts'
import { askedBy, type TerminalView } from '../../terminal/terminal-text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { useFailureToast } from '../../ui/toasts.tsx'
import { KeysRow } from './keys-row.tsx'

/** Two Esc presses this close release the keyboard, so the first is held back this long. */
const twiceMs = 400

/** Keyboard mode: every key goes to the program until the keyboard is released. */
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
  const sayFailed = useFailureToast()
  const field = useRef<HTMLTextAreaElement>(null)
  const typist = useRef<KeySender>(null)
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
    const made = createKeySender(
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
  // A tap on the screen resumes typing.
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
    // Ctrl-C copies a selection; otherwise it goes to the program.
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
            {hasFocus ? 'Keyboard mode: what you type goes to the program.' : 'Tap the screen to keep typing.'}
          </strong>
          {asked?.isDangerous && (
            <span className="block font-semibold text-stop">
              Dangerous: {safeText(asked.dangerReason ?? 'the answer may do damage')}.
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
        aria-label="Program keyboard. Press Escape twice to release it."
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
        <p>Each line is entered as if typed. The program may treat each as an answer or a command.</p>
        <pre className="max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm whitespace-pre-wrap">
          {safeText(pasted ?? '')}
        </pre>
        <DialogActions>
          <Button onClick={() => setPasted(null)}>Cancel</Button>
          <Button
            tone="stop"
            onClick={() => {
              press(keysOf(pasted ?? ''))
              setPasted(null)
            }}
          >
            Paste all
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  )
}
