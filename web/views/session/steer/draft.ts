import { useEffect, useState } from 'react'
import { draftPrefix, tabShelf } from '../../../app/shelf.ts'

const placeOf = (id: string) => `${draftPrefix}${id}`

/** What was typed and not sent; it is there again after a look elsewhere. */
export function useDraft(id: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => tabShelf.getItem(placeOf(id)) ?? '')
  useEffect(() => {
    if (text === '') tabShelf.removeItem(placeOf(id))
    else tabShelf.setItem(placeOf(id), text.slice(0, 100_000))
  }, [id, text])
  return [text, setText]
}
