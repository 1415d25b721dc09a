import { useEffect, useState } from 'react'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'

/** In reach of the thumb on a phone, at the bottom of the window on a desktop. */
export const stickyBar =
  'sticky bottom-[calc(3.4rem+env(safe-area-inset-bottom))] md:bottom-0 z-10 mt-auto -mx-4 md:-mx-6 border-t ' +
  'border-line bg-ground/95 px-4 py-3 backdrop-blur md:px-6'

/** The last known data of an item that left the list. */
export function useLastKnown<T>(item: T | null): T | null {
  const [seen, setSeen] = useState(item)
  if (item !== null && item !== seen) setSeen(item)
  return item ?? seen
}

/** Sets the tab title while an item is shown, and restores it afterwards. */
export function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title
    document.title = `${title} · Signalbox`
    return () => {
      document.title = before
    }
  }, [title])
}

export const ItemNotFound = ({ what }: { what: 'ask' | 'alert' }) => (
  <Empty icon="search" title={what === 'ask' ? 'Ask not found' : 'Alert not found'}>
    <p>The address may be mistyped, or you can’t see its session.</p>
    <ButtonLink to={paths.inbox} icon="inbox">
      Go to the inbox
    </ButtonLink>
  </Empty>
)
