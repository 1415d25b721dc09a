import { createContext, use, useEffect, type ReactNode } from 'react'
import { useKept } from '../../inbox/use-kept.ts'

const name = 'in-words'

/** Whether somebody is writing an answer right now: what they write at stays until they are done. */
export const useIsInWords = (): boolean => useKept(name, false)[0]

const Over = createContext<string | null>(null)

/** Around the ways to answer: what became of the ask meanwhile, in words; null while it can be answered. */
export const OverProvider = ({ over, children }: { over: string | null; children: ReactNode }) => (
  <Over value={over}>{children}</Over>
)

/** For a dialog in which an answer is written. Gives what became of the ask meanwhile. */
export function useInWords(): string | null {
  const [, set] = useKept(name, false)
  useEffect(() => {
    set(true)
    return () => set(false)
    // Once for as long as the dialog is there.
  }, [])
  return use(Over)
}
