import { useEffect, useRef, useState } from 'react'
import { useIsWriting } from '../asks/actions/answer-in-progress.tsx'

/** A second press this soon is meant for the answered item, not for the one that replaced it. */
const restMs = 350

/**
 * The selected item: the one in the address, else the first. It stays selected while it is in the list: something more
 * urgent must not replace it under a hand that is about to answer.
 */
export function useSelected(address: string | null, keys: readonly string[]) {
  const [pinned, setPinned] = useState<string | null>(null)
  const inWords = useIsWriting()
  const held = pinned !== null && (inWords || keys.includes(pinned)) ? pinned : (keys[0] ?? null)
  const selected = address ?? held
  if (pinned !== selected) setPinned(selected)
  const { resting, rest } = useRest()
  const before = useRef(selected)
  useEffect(() => {
    // Only if it changed without the person.
    if (address === null && before.current !== null && before.current !== selected) rest()
    before.current = selected
  }, [address, selected, rest])
  return { selected, resting, rest }
}

function useRest() {
  const [resting, setResting] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [rest] = useState(() => () => {
    clearTimeout(timer.current)
    setResting(true)
    timer.current = setTimeout(() => setResting(false), restMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return { resting, rest }
}
