import { useEffect, useRef, useState } from 'react'
import { useIsInWords } from '../asks/actions/in-words.tsx'

/** A second press right after an answer is meant for what was answered, not for what took its place. */
const restMs = 350

/**
 * What is looked at: what the address names, else the first. The first stays it while it is there: something more
 * urgent must not slip under a hand that is about to answer.
 */
export function useSelected(address: string | null, keys: readonly string[]) {
  const [pinned, setPinned] = useState<string | null>(null)
  const inWords = useIsInWords()
  const held = pinned !== null && (inWords || keys.includes(pinned)) ? pinned : (keys[0] ?? null)
  const selected = address ?? held
  if (pinned !== selected) setPinned(selected)
  const { resting, rest } = useRest()
  const before = useRef(selected)
  useEffect(() => {
    // Only where it changed by itself.
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
