import { useEffect, useState } from 'react'
import { draftPrefix, tabStorage } from '../../../app/browser-storage.ts'

const placeOf = (id: string) => `${draftPrefix}${id}`

/** The unsent text; it survives leaving the view. */
export function useDraft(id: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => tabStorage.getItem(placeOf(id)) ?? '')
  useEffect(() => {
    if (text === '') tabStorage.removeItem(placeOf(id))
    else tabStorage.setItem(placeOf(id), text.slice(0, 100_000))
  }, [id, text])
  return [text, setText]
}
