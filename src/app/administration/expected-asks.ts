import type { AskId } from '../../domain/ask/id.ts'

/** Which asks have a caller that waits for their outcome; others are told by a message. */
export type Expected = {
  /** Until it is disposed, someone here waits for this ask. */
  expect(id: AskId): Disposable
}

export type ExpectedAsks = Expected & { isExpected(id: AskId): boolean }

export function createExpected(): ExpectedAsks {
  const waiting = new Map<AskId, number>()
  return {
    expect(id) {
      waiting.set(id, (waiting.get(id) ?? 0) + 1)
      let isOver = false
      return {
        [Symbol.dispose]() {
          if (isOver) return
          isOver = true
          const left = (waiting.get(id) ?? 1) - 1
          if (left === 0) waiting.delete(id)
          else waiting.set(id, left)
        },
      }
    },
    isExpected: (id) => waiting.has(id),
  }
}
