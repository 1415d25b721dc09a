import { constants } from 'node:os'
import type { Exit } from '../../keeper-client/client.ts'

const numbers: Readonly<Record<string, number>> = constants.signals

/** As a shell says it: 128 and the number of the signal that ended it. */
export function exitCodeOf({ code, signal }: Exit): number {
  if (signal !== null) return signalCode(signal)
  return code ?? 1
}

export const signalCode = (signal: string): number => 128 + (numbers[signal] ?? 0)
