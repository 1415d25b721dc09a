import { useEffect, useEffectEvent } from 'react'

export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>

const patienceMs = 1200

// Toasts are dialogs too, by role, and have no claim to the keyboard.
const taken = '[role=dialog]:not([aria-modal=false]),[role=alertdialog]:not([aria-modal=false]),[role=menu]'

/** Typing into a field, or with a key held that belongs to browser or system, is not for us. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === 'checkbox')

const quietMs = 1000
let lastTyped = { at: -quietMs, isOver: true }

/** Words that are being written do not become commands when the field they were for goes away under the hand. */
function isStillTyping(event: KeyboardEvent): boolean {
  const isWords = isTyping(event.target) || document.querySelector(taken) !== null
  const goesOn = !lastTyped.isOver && event.timeStamp - lastTyped.at < quietMs
  if (isWords || goesOn) lastTyped = { at: event.timeStamp, isOver: isWords && /^(Enter|Escape|Tab)$/.test(event.key) }
  return isWords || goesOn
}

/** `a`, `?`, `Enter`, or two after each other: `g s`. A dialog that is open has the keyboard to itself. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const onKey = useEffectEvent((event: KeyboardEvent, before: string): boolean => {
    const run = shortcuts[before === '' ? event.key : `${before} ${event.key}`]
    if (!run) return false
    event.preventDefault()
    run()
    return true
  })
  useEffect(() => {
    let before = ''
    let forget: ReturnType<typeof setTimeout> | undefined
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      // A key that is held moves on, and does nothing else again and again.
      if (event.repeat && !/^[jk]$/.test(event.key)) return
      if (isStillTyping(event)) return
      // Enter on what can be pressed presses it.
      if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a,button,summary'))
        return
      const used = onKey(event, before)
      clearTimeout(forget)
      before = !used && before === '' && event.key === 'g' ? 'g' : ''
      if (before !== '') forget = setTimeout(() => (before = ''), patienceMs)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
