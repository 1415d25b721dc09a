type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey' | 'isComposing'>

const named: Readonly<Record<string, string>> = {
  Enter: 'enter',
  Escape: 'escape',
  Backspace: 'backspace',
  Delete: 'delete',
  Insert: 'insert',
  PageUp: 'pageup',
  PageDown: 'pagedown',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'home',
  End: 'end',
}

/**
 * The name of a key for the API. Null: it is text, which arrives as input, or it belongs to the browser. Cut, copy and
 * paste keep their usual keys: Ctrl-V pastes.
 */
export function keyOf({ key, ctrlKey, altKey, metaKey, shiftKey, isComposing }: Pressed): string | null {
  if (isComposing || metaKey || (ctrlKey && altKey)) return null
  if (key === 'Tab') return ctrlKey || altKey ? null : shiftKey ? 'shift-tab' : 'tab'
  const name = named[key] ?? (/^F([1-9]|1[0-2])$/.test(key) ? key.toLowerCase() : null)
  if (name !== null) return ctrlKey || altKey ? null : name
  if (ctrlKey && !shiftKey && key === ' ') return 'ctrl-@'
  if (ctrlKey) return !shiftKey && key !== 'v' && /^[a-z\\\]^_[@]$/.test(key) ? `ctrl-${key}` : null
  return altKey && /^[!-~]$/.test(key) ? `alt-${key}` : null
}

// oxlint-disable-next-line no-control-regex -- these are what is taken out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text as keys. Pasted text may hide control characters, so they are removed. */
export const keysOf = (text: string): string[] =>
  Array.from(text.replaceAll(/\r\n?/g, '\n').replaceAll(controls, ''), (letter) =>
    letter === '\n' ? 'enter' : letter === '\t' ? 'tab' : letter,
  )

/** Keys that phones lack, with labels for screen readers. */
export const extraKeys: readonly { key: string; label: string; spoken: string }[] = [
  { key: 'escape', label: 'Esc', spoken: 'Esc' },
  { key: 'tab', label: 'Tab', spoken: 'Tab' },
  { key: 'ctrl-c', label: 'Ctrl-C', spoken: 'Ctrl-C' },
  { key: 'ctrl-d', label: 'Ctrl-D', spoken: 'Ctrl-D' },
  { key: 'up', label: '↑', spoken: 'Up' },
  { key: 'down', label: '↓', spoken: 'Down' },
  { key: 'left', label: '←', spoken: 'Left' },
  { key: 'right', label: '→', spoken: 'Right' },
  { key: 'backspace', label: '⌫', spoken: 'Backspace' },
  { key: 'enter', label: '⏎', spoken: 'Enter' },
]
