import { connectKeeper, type Keeper } from '../../../keeper/client.ts'
import type { Logger } from '../../../lib/log.ts'
import { ok, type Result } from '../../../lib/result.ts'

/** This edge's own connection to the keeper, beside the one for agents; made when it is needed. */
export type KeeperDoor = {
  /** Starts a keeper where there is none. */
  ensure(): Promise<Result<Keeper>>
  /** Finds one that is there already. */
  find(): Promise<Result<Keeper | null>>
  current(): Keeper | null
  close(): Promise<void>
}

export function createKeeperDoor(deps: { dataDir: string; log: Logger; lost(): void }): KeeperDoor {
  const { dataDir, log } = deps
  let keeper: Keeper | null = null
  let connecting: Promise<Result<Keeper | null>> | null = null
  let isClosed = false

  async function connect(start: boolean): Promise<Result<Keeper | null>> {
    const connected = await connectKeeper({ dataDir, log: log.child({ part: 'keeper' }), start, role: 'terminals' })
    if (!connected.ok || !connected.value) return connected
    const mine = connected.value
    keeper = mine
    void mine.closed.then(() => {
      if (keeper !== mine) return
      keeper = null
      if (!isClosed) deps.lost()
    })
    return ok(mine)
  }

  const one = (start: boolean) => {
    connecting ??= connect(start).finally(() => (connecting = null))
    return connecting
  }

  return {
    async ensure() {
      if (keeper) return ok(keeper)
      const found = await one(true)
      return found.ok && found.value
        ? ok(found.value)
        : found.ok
          ? one(true).then((again) => again as Result<Keeper>)
          : found
    },
    find: async () => (keeper ? ok(keeper) : one(false)),
    current: () => keeper,
    async close() {
      isClosed = true
      await keeper?.[Symbol.asyncDispose]()
    },
  }
}
