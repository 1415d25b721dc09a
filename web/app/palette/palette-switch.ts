import { useSyncExternalStore } from 'react'

let isOpen = false
const listeners = new Set<() => void>()

function set(open: boolean): void {
  isOpen = open
  for (const tell of listeners) tell()
}
export const openPalette = (): void => set(true)
export const closePalette = (): void => set(false)

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => void listeners.delete(changed)
}
export const useIsPaletteOpen = (): boolean => useSyncExternalStore(subscribe, () => isOpen)
