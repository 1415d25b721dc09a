import { useEffect, useState } from 'react'

/** A second press this soon is meant for the answered item, not for the one that replaced it. */
const restMs = 350

/** True for a moment after another item replaced the previous one. */
export function useJustReplaced(id: string | null): boolean {
  const [settled, setSettled] = useState(id)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(id), restMs)
    return () => clearTimeout(timer)
  }, [id])
  return settled !== null && settled !== id
}
