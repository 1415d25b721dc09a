import type { ChildInfo, Exit, Keeper } from '../../../keeper-client/client.ts'
import { ok, type Result } from '../../../lib/result.ts'

/** Waits for the ends of programs. The keeper has one listener a child, so everybody who waits for one shares it. */
export type ExitWaits = {
  of(child: Pick<ChildInfo, 'id' | 'to'>): Promise<Result<Exit>>
  /** Known from elsewhere: whoever waits is told. */
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
