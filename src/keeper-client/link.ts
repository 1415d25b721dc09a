import type { Logger } from '../lib/log.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { connectKeeper } from './server-client.ts'
import type { Keeper } from './types.ts'

/** A server's connection to the keeper of its data directory, made when it is needed and made again when it was lost. */
export type KeeperLink = {
  /** Starts a keeper if there is none. */
  ensure(): Promise<Result<Keeper>>
  /** Finds a running keeper. */
  find(): Promise<Result<Keeper | null>>
  current(): Keeper | null
  /** The caller owns the connection from now on; its end is not reported. */
  release(): Keeper | null
}

type Deps = {
  dataDir: string
  log: Logger
  role: 'agents' | 'terminals'
  /** The connection is gone. Nothing is started again before this has settled. */
  lost(): Promise<void>
}

export function createKeeperLink({ dataDir, log, role, lost }: Deps): KeeperLink {
  let keeper: Keeper | null = null
  let connecting: Promise<Result<Keeper | null>> | null = null
  let handlingLoss: Promise<void> = Promise.resolve()

  async function connect(start: boolean): Promise<Result<Keeper | null>> {
    const connected = await connectKeeper({ dataDir, log: log.child({ part: 'keeper' }), start, role })
    if (!connected.ok || !connected.value) return connected
    const mine = connected.value
    keeper = mine
    void mine.closed.then(() => {
      if (keeper !== mine) return
      keeper = null
      log.error({ role }, 'the connection to the keeper is gone')
      handlingLoss = lost().catch((error: unknown) =>
        log.error(
          { role, error: error instanceof Error ? error.stack : String(error) },
          'a lost keeper was not handled',
        ),
      )
    })
    return ok(mine)
  }

  /** One attempt at a time, shared by everyone who waits for it. */
  function connectOnce(start: boolean): Promise<Result<Keeper | null>> {
    connecting ??= connect(start).finally(() => (connecting = null))
    return connecting
  }

  return {
    async ensure() {
      // A new keeper would be in the way of ending what the last one left.
      await handlingLoss
      if (keeper) return ok(keeper)
      const first = await connectOnce(true)
      // It may have joined an attempt that was not to start one.
      const found = first.ok && !first.value ? await connectOnce(true) : first
      if (!found.ok) return found
      return found.value ? ok(found.value) : fail(notStarted)
    },
    find: async () => (keeper ? ok(keeper) : connectOnce(false)),
    current: () => keeper,
    release() {
      const last = keeper
      keeper = null
      return last
    },
  }
}

const notStarted = {
  kind: 'unavailable' as const,
  code: 'keeper_not_started',
  message: 'The keeper did not start: no answer.',
}
