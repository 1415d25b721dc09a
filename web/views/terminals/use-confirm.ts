import { useState } from 'react'
import { tapped, type ArmedTap } from '../../terminal/double-tap.ts'

/** A dangerous answer takes two taps; the button says so after the first. */
export function useConfirm() {
  const [armed, setArmed] = useState<ArmedTap>(null)
  return {
    isArmed: (key: string) => armed?.key === key,
    tap(key: string, act: () => void): void {
      const next = tapped(armed, key, performance.now())
      setArmed(next.armed)
      if (next.acts) act()
    },
    forget: () => setArmed(null),
  }
}
