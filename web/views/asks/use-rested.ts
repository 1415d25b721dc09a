import { useEffect, useState } from 'react'

/** A second press right after an answer is meant for what was answered, not for what took its place. */
const restMs = 350

/** True for a moment after something else took the place of what was there. */
export function useRested(id: string | null): boolean {
  const [settled, setSettled] = useState(id)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(id), restMs)
    return () => clearTimeout(timer)
  }, [id])
  return settled !== null && settled !== id
}
