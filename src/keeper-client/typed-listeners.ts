import type { TypedListener } from './types.ts'
import { isRecord, numberOf, sizeOf, textOf, type Frame } from '../keeper/protocol/frames.ts'

/** Listeners to what is typed, by child. */
export type TypedListeners = { receive(frame: Frame): void; add(id: string, listener: TypedListener): Disposable }

export function createTypedListeners(): TypedListeners {
  const all = new Map<string, Set<TypedListener>>()
  return {
    receive({ header, payload }) {
      const size = isRecord(header['size']) ? { size: sizeOf(header['size']) } : {}
      const at = { to: numberOf(header['to']), inputs: numberOf(header['inputs']), by: textOf(header['by']), ...size }
      for (const listener of all.get(textOf(header['id'])) ?? []) listener(payload, at)
    },
    add(id, listener) {
      const those = all.get(id) ?? new Set()
      all.set(id, those.add(listener))
      return {
        [Symbol.dispose]() {
          those.delete(listener)
          if (those.size === 0 && all.get(id) === those) all.delete(id)
        },
      }
    },
  }
}
