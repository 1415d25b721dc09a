import { constants } from 'node:os'
import type { Exit } from '../../keeper-client/client.ts'

const numbers: Readonly<Record<string, number>> = constants.signals

/** As in a shell: 128 plus the number of the signal that ended it. */
export function exitCodeOf({ code, signal }: Exit): number {
  if (signal !== null) return signalCode(signal)
  return code ?? 1
}

export const signalCode = (signal: string): number => 128 + (numbers[signal] ?? 0)
