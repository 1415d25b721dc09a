import { useState } from 'react'
import { tapped, type Armed } from '../../terminal/confirm.ts'

/** Where an answer may do harm a button is tapped twice: it says so after the first. */
export function useConfirm() {
  const [armed, setArmed] = useState<Armed>(null)
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
