import { useEffect, useEffectEvent } from 'react'

export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>

const patienceMs = 1200

// Toasts also have the role dialog, but do not take the keyboard.
const taken = '[role=dialog]:not([aria-modal=false]),[role=alertdialog]:not([aria-modal=false]),[role=menu]'

/** Ignore keys typed into a field, and those with a modifier of the browser or system. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === 'checkbox')

const quietMs = 1000
let lastTyped = { at: -quietMs, isOver: true }

/** Text typed just after its field disappeared must not trigger shortcuts. */
function isStillTyping(event: KeyboardEvent): boolean {
  const isWords = isTyping(event.target) || document.querySelector(taken) !== null
  const goesOn = !lastTyped.isOver && event.timeStamp - lastTyped.at < quietMs
  if (isWords || goesOn) lastTyped = { at: event.timeStamp, isOver: isWords && /^(Enter|Escape|Tab)$/.test(event.key) }
  return isWords || goesOn
}

/** `a`, `?`, `Enter`, or a sequence: `g s`. An open dialog has the keyboard to itself. */
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
      // A held key only repeats moves.
      if (event.repeat && !/^[jk]$/.test(event.key)) return
      if (isStillTyping(event)) return
      // Enter on a button or link activates it.
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
