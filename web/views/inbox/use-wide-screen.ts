import { useSyncExternalStore } from 'react'

const wide = '(min-width: 1024px)'

function subscribe(changed: () => void): () => void {
  const query = matchMedia(wide)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** Wide enough for list and item side by side. */
export const useWideScreen = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(wide).matches)
