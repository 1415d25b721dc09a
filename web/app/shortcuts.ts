import { useEffect, useEffectEvent } from 'react'
import { keys } from './keys.ts'
import { useViewActions } from './view-actions.ts'
import { isPartOfText, runUnlessWords } from './typed-words.ts'

export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>

const patienceMs = 1200

const actionsOf = (shortcuts: Shortcuts) =>
  keys.flatMap(({ keys: [key = ''], palette }) => {
    const run = shortcuts[key]
    return palette !== undefined && run ? [{ label: palette, run, keys: key }] : []
  })

/** `a`, `?`, `Enter`, or a sequence: `g s`. An open dialog has the keyboard to itself. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useViewActions(actionsOf(shortcuts))
  const onKey = useEffectEvent((event: KeyboardEvent, before: string): boolean => {
    const run = shortcuts[before === '' ? event.key : `${before} ${event.key}`]
    if (!run) return false
    event.preventDefault()
    if (before === '') runUnlessWords(event.key, run)
    else run()
    return true
  })
  useEffect(() => {
    let before = ''
    let forget: ReturnType<typeof setTimeout> | undefined
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      // A held key only repeats moves.
      if (event.repeat && !/^[jk]$/.test(event.key)) return
      if (isPartOfText(event, before !== '')) return
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
