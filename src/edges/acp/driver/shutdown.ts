import type { App } from '../../../app/app.ts'
import type { Command } from '../../../app/command.ts'
import type { Keeper } from '../../../keeper-client/client.ts'
import { backoff } from '../../../lib/backoff.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import { system } from '../actor.ts'
import type { Recorder } from '../transcript/recorder.ts'
import { terminalPrefix } from '../calls/terminal-calls.ts'

/** Ends an agent in an order that survives a crash: output stored, then reported, then forgotten by the keeper. */
export type Shutdown = {
  /** Ends the commands that we run for it; it can still read what they printed. */
  endCommands(): Promise<void>
  /** Ends its processes and stores its stderr. `kept` is false if the database did not take it. */
  endProcesses(graceMs: number): Promise<{ stderr: string; kept: boolean }>
  /** Reports what became of the session, and retries until it is stored or the server stops. */
  report(command: Command): Promise<void>
  /** The keeper may forget its processes. */
  forget(): Promise<void>
  /** The server stops: no more retries. */
  stopWaiting(): void
}

export function createShutdown(deps: { app: App; keeper: Keeper; childId: string; recorder: Recorder }): Shutdown {
  const { app, keeper, childId, recorder } = deps
  const hurried = Promise.withResolvers<void>()
  let isHurried = false

  const terminals = async () => (await keeper.list()).filter(({ id }) => id.startsWith(terminalPrefix(childId)))
  const ownChildren = async () => [childId, ...(await terminals()).map(({ id }) => id)]

  return {
    async endCommands() {
      const running = (await terminals()).filter(({ exit }) => exit === null)
      await Promise.all(running.map(({ id }) => keeper.end(id, 0)))
    },
    async endProcesses(graceMs) {
      const ends = await Promise.all((await ownChildren()).map((id) => keeper.end(id, graceMs)))
      const stderr = await keeper.stderr(childId)
      const [{ code, signal } = { code: null, signal: null }] = ends
      return { stderr, kept: await recorder.stop(stderr, { childId, code, signal }) }
    },
    async report(command) {
      for (let attempt = 1; ; attempt += 1) {
        const done = await app.dispatch(command, system)
        if (done.ok || done.fault.kind !== 'unavailable' || isHurried) return
        await withTimeLimit(hurried.promise, backoff(attempt, 100, 2000))
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
