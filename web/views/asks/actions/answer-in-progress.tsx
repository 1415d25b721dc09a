import { createContext, use, useEffect, type ReactNode } from 'react'
import { useKeptState } from '../../inbox/use-kept-state.ts'

const name = 'in-words'

/** Whether an answer is being written: its form stays until the person is done. */
export const useIsWriting = (): boolean => useKeptState(name, false)[0]

const ClosedContext = createContext<string | null>(null)

/** Context of the answer controls: what happened to the ask meanwhile; null while it can be answered. */
export const ClosedProvider = ({ over, children }: { over: string | null; children: ReactNode }) => (
  <ClosedContext value={over}>{children}</ClosedContext>
)

/** For dialogs in which an answer is written. Returns what happened to the ask meanwhile. */
export function useWriting(): string | null {
  const [, set] = useKeptState(name, false)
  useEffect(() => {
    set(true)
    return () => set(false)
    // Once per dialog.
  }, [])
  return use(ClosedContext)
}

/** Shown while writing an answer to an ask that is no longer open. The text stays, so it can be copied. */
export const NoLongerOpen = ({ over }: { over: string | null }) =>
  over === null ? null : (
    <p role="alert" className="rounded-lg bg-wait-soft px-3 py-2 text-wait">
      {over}. Your answer can no longer be sent.
    </p>
  )
