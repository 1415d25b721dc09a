import { useSyncExternalStore } from 'react'

const wide = '(min-width: 1024px)'

function subscribe(changed: () => void): () => void {
  const query = matchMedia(wide)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** Room for a list and an item beside each other. */
export const useDesk = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(wide).matches)
