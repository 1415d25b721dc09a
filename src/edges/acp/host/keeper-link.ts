import { connectKeeper, type Keeper } from '../../../keeper/client.ts'
import type { Logger } from '../../../lib/log.ts'
import { ok, type Result } from '../../../lib/result.ts'

/** The one connection to this node's keeper, made when it is needed. */
export type KeeperLink = {
  /** Starts a keeper where there is none. */
  ensure(): Promise<Result<Keeper>>
  /** Finds one that is there already. */
  find(): Promise<Result<Keeper | null>>
  current(): Keeper | null
  /** From now on nobody minds that it goes. */
  letGo(): Keeper | null
}

export function createKeeperLink(deps: { dataDir: string; log: Logger; lost(): Promise<void> }): KeeperLink {
  const { dataDir, log } = deps
  let keeper: Keeper | null = null
  let connecting: Promise<Result<Keeper | null>> | null = null
  let losing: Promise<void> = Promise.resolve()

  async function connect(start: boolean): Promise<Result<Keeper | null>> {
    const connected = await connectKeeper({ dataDir, log: log.child({ part: 'keeper' }), start })
    if (!connected.ok || !connected.value) return connected
    const mine = connected.value
    keeper = mine
    void mine.closed.then(async () => {
      if (keeper !== mine) return
      keeper = null
      log.error({}, 'the keeper is gone')
      losing = deps.lost()
      await losing
    })
    return ok(mine)
  }

  return {
    async ensure() {
      // A new keeper would be in the way of ending what the last one left.
      await losing.catch(() => {})
      if (keeper) return ok(keeper)
      connecting ??= connect(true).finally(() => {
        connecting = null
      })
      return (await connecting) as Result<Keeper>
    },
    find: () => connect(false),
    current: () => keeper,
    letGo() {
      const last = keeper
      keeper = null
      return last
    },
  }
}
