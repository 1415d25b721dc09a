import { useEffect, useState } from 'react'

const placeOf = (id: string) => `signalbox.draft.${id}`

function kept(id: string): string {
  try {
    return sessionStorage.getItem(placeOf(id)) ?? ''
  } catch {
    return ''
  }
}

/** What was typed and not sent; it is there again after a look elsewhere. */
export function useDraft(id: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => kept(id))
  useEffect(() => {
    try {
      if (text === '') sessionStorage.removeItem(placeOf(id))
      else sessionStorage.setItem(placeOf(id), text.slice(0, 100_000))
    } catch {
      // A browser that keeps nothing.
    }
  }, [id, text])
  return [text, setText]
}
