import { useEffect, useRef } from 'react'

export type ViewAction = { readonly label: string; readonly run: () => void; readonly keys?: string }

const offered = new Set<() => readonly ViewAction[]>()

/** What the views shown now can do; the command palette lists it. */
export const viewActions = (): ViewAction[] => [...offered].flatMap((get) => get())

/** Offers actions while a view is shown. */
export function useViewActions(actions: readonly ViewAction[]): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const get = () => latest.current
    offered.add(get)
    return () => void offered.delete(get)
  }, [])
}
