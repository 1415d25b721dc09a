import { lazy, Suspense, useEffect } from 'react'
import { isDialogOpen } from '../typed-words.ts'
import { closePalette, openPalette, useIsPaletteOpen } from './palette-switch.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

const onMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
export const paletteKeys = onMac ? '⌘K' : 'Ctrl K'

// On a Mac, Ctrl+K edits text.
const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && !altKey && !shiftKey && (onMac ? metaKey && !ctrlKey : ctrlKey && !metaKey)

/** Opens and closes the command palette, whose code is loaded on first use. */
export function PaletteHost() {
  const open = useIsPaletteOpen()
  useEffect(() => {
    // A terminal that is typed into keeps the key to itself.
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isPaletteKey(event)) return
      if (!open && isDialogOpen()) return
      event.preventDefault()
      if (open) closePalette()
      else openPalette()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [open])
  if (!open) return null
  return (
    <Suspense>
      <Palette close={closePalette} />
    </Suspense>
  )
}
