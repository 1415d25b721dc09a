import { useEffect, type RefObject } from 'react'

// Toasts also have the role dialog, but do not take the keyboard.
const taken = '[role=dialog]:not([aria-modal=false]),[role=alertdialog]:not([aria-modal=false]),[role=menu]'

export const isDialogOpen = (): boolean => document.querySelector(taken) !== null

/** Ignore keys typed into a field. */
const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === 'checkbox')

const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey

/** Letters this close together are words, wherever the focus is. */
const quietMs = 1000
let lastTyped = { at: -quietMs, isOver: true, stray: '' }

/** The field was closed on purpose: the next letter is a shortcut again. */
export const endText = (): void => {
  lastTyped = { at: -quietMs, isOver: true, stray: '' }
}

/**
 * What letters mean on a page with a field for text, while the focus is elsewhere.
 * `program`: text for a program; no letter is a shortcut. `answer`: only those that move are. `message`: all are, but
 * they wait, because a second letter means that somebody types words.
 */
type TextPlace = 'program' | 'answer' | 'message'
type ExpectedText = { place: TextPlace; field: RefObject<HTMLElement | null> | null }
const expected = new Set<ExpectedText>()

/** While this is shown, people may type text and expect that it goes there. */
export function useTextExpected(place: TextPlace | null, field: RefObject<HTMLElement | null> | null = null): void {
  useEffect(() => {
    if (place === null) return undefined
    const one = { place, field }
    expected.add(one)
    return () => void expected.delete(one)
  }, [place, field])
}

const moves = /^[jkxge?/[\]]$/
const isExpected = (place: TextPlace) => [...expected].find((one) => one.place === place)

/** Takes the letters of a text to its field. */
function isText(event: KeyboardEvent, inSequence: boolean): boolean {
  if (!isLetter(event) || inSequence) return false
  const found = isExpected('program') ?? (moves.test(event.key) ? undefined : isExpected('answer'))
  if (!found) return false
  // The letter goes to whatever has the focus after this event.
  found.field?.current?.focus()
  return true
}

const read = new WeakMap<KeyboardEvent, boolean>()

/** Whether a key is part of a text, and so no shortcut. Asked by many listeners, decided once. */
export function isPartOfText(event: KeyboardEvent, inSequence: boolean): boolean {
  const known = read.get(event)
  if (known !== undefined) return known
  const isWords = isField(event.target) || isDialogOpen()
  // Text typed just after its field disappeared, or where no field has the focus.
  const goesOn =
    !lastTyped.isOver && event.timeStamp - lastTyped.at < quietMs && (isWords || lastTyped.stray !== event.key)
  const found = isWords || goesOn || isText(event, inSequence)
  if (found) lastTyped = { at: event.timeStamp, isOver: isWords && /^(Enter|Escape|Tab)$/.test(event.key), stray: '' }
  read.set(event, found)
  return found
}

/** After all shortcuts: a letter that is none begins a text. */
window.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || !isLetter(event) || event.key === 'g' || isField(event.target)) return
  if (!read.get(event)) lastTyped = { at: event.timeStamp, isOver: false, stray: event.key }
})

const waitMs = 400
let waiting: ReturnType<typeof setTimeout> | undefined

/** Runs a shortcut; beside a field for messages only if no second letter follows. */
export function runUnlessWords(key: string, run: () => void): void {
  if (!/^[a-z]$/.test(key) || /^[ijk]$/.test(key) || !isExpected('message')) return run()
  const cancel = (event: KeyboardEvent) => {
    if (!isLetter(event) || event.repeat) return
    end()
    read.set(event, true)
    lastTyped = { at: event.timeStamp, isOver: false, stray: '' }
  }
  const end = () => {
    clearTimeout(waiting)
    waiting = undefined
    window.removeEventListener('keydown', cancel, { capture: true })
  }
  window.addEventListener('keydown', cancel, { capture: true })
  waiting = setTimeout(() => {
    end()
    run()
  }, waitMs)
}
