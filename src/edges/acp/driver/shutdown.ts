import type { App } from '../../../app/app.ts'
import type { Command } from '../../../app/command.ts'
import type { Keeper } from '../../../keeper-client/client.ts'
import { backoff } from '../../../lib/backoff.ts'
import { within } from '../../../lib/within.ts'
import { system } from '../actor.ts'
import type { Recorder } from '../transcript/recorder.ts'
import { terminalPrefix } from '../calls/terminal-calls.ts'

/** The end of an agent, in an order that a crash in the middle can't spoil: stored, then reported, then forgotten. */
export type Shutdown = {
  /** Ends what is left of its processes and stores its last words; not kept where the database takes nothing. */
  endProcesses(graceMs: number): Promise<{ stderr: string; kept: boolean }>
  /** What became of the session, said until it is heard or the server stops. */
  report(command: Command): Promise<void>
  /** The keeper need not remember it any more. */
  forget(): Promise<void>
  /** The server stops: nothing is waited for any longer. */
  stopWaiting(): void
}

export function createShutdown(deps: { app: App; keeper: Keeper; childId: string; recorder: Recorder }): Shutdown {
  const { app, keeper, childId, recorder } = deps
  const hurried = Promise.withResolvers<void>()
  let isHurried = false

  async function ownChildren(): Promise<string[]> {
    const terminals = (await keeper.list()).filter(({ id }) => id.startsWith(terminalPrefix(childId)))
    return [childId, ...terminals.map(({ id }) => id)]
  }

  return {
    async endProcesses(graceMs) {
      await Promise.all((await ownChildren()).map((id) => keeper.end(id, graceMs)))
      const stderr = await keeper.stderr(childId)
      return { stderr, kept: await recorder.stop(stderr) }
    },
    async report(command) {
      for (let attempt = 1; ; attempt += 1) {
        const done = await app.dispatch(command, system)
        if (done.ok || done.fault.kind !== 'unavailable' || isHurried) return
        await within(hurried.promise, backoff(attempt, 100, 2000))
      }
    },
    async forget() {
      for (const id of await ownChildren()) await keeper.forget(id)
    },
    stopWaiting() {
      isHurried = true
      hurried.resolve()
      recorder.giveUp()
    },
  }
}
