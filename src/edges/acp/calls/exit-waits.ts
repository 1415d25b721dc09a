import type { ChildInfo, Exit, Keeper } from '../../../keeper-client/client.ts'
import { ok, type Result } from '../../../lib/result.ts'

/** Waits for programs to exit. The keeper has one listener per child, so all waiters share it. */
export type ExitWaits = {
  of(child: Pick<ChildInfo, 'id' | 'to'>): Promise<Result<Exit>>
  /** The exit is known from elsewhere: resolves its waiters. */
  ended(id: string, exit: Exit): void
}

export function createExitWaits(keeper: Pick<Keeper, 'listen'>, closing: AbortSignal): ExitWaits {
  const waiting = new Map<string, { exit: PromiseWithResolvers<Exit>; result: Promise<Result<Exit>> }>()

  async function watch(id: string, from: number, exit: PromiseWithResolvers<Exit>): Promise<Result<Exit>> {
    try {
      const listening = await keeper.listen(id, from, { data() {}, exit: exit.resolve })
      if (!listening.ok) return listening
      const stop = () => listening.value[Symbol.dispose]()
      closing.addEventListener('abort', stop)
      if (closing.aborted) stop()
      try {
        return ok(await exit.promise)
      } finally {
        closing.removeEventListener('abort', stop)
        stop()
      }
    } finally {
      waiting.delete(id)
    }
  }

  return {
    of({ id, to }) {
      const known = waiting.get(id)
      if (known) return known.result
      const exit = Promise.withResolvers<Exit>()
      const result = watch(id, to, exit)
      waiting.set(id, { exit, result })
      return result
    },
    ended: (id, exit) => waiting.get(id)?.exit.resolve(exit),
  }
}
