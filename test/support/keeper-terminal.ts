import {
  attachTerminal,
  type AttachClient,
  type ChildInfo,
  type ChildSpec,
  type Keeper,
} from '../../src/keeper-client/client.ts'
import { silentLogger, type Logger } from '../../src/lib/log.ts'
import type { Foreground } from '../../src/lib/tty-probe.ts'
import type { OwnKeeper } from './keeper.ts'
import { until } from './until.ts'

export const usualSize = { cols: 80, rows: 24 }

/** A program in one of the keeper's terminals. */
export async function terminalIn(
  own: OwnKeeper,
  keeper: Keeper,
  id: string,
  argv: ChildSpec['argv'],
): Promise<ChildInfo> {
  const spawned = await keeper.spawn(own.spec(id, argv, { pty: usualSize }))
  if (!spawned.ok) throw new Error(spawned.fault.message)
  return spawned.value
}

export async function attachTo(own: OwnKeeper, log: Logger = silentLogger): Promise<AttachClient> {
  const attached = await attachTerminal({ dataDir: own.home, log, start: false })
  if (!attached.ok) throw new Error(attached.fault.message)
  if (!attached.value) throw new Error('no keeper is running')
  return attached.value
}

export async function infoOf(keeper: Pick<Keeper, 'list'>, id: string): Promise<ChildInfo> {
  const info = (await keeper.list()).find((one) => one.id === id)
  if (!info) throw new Error(`there is no ${id}`)
  return info
}

/** Once the program is blocked in a read of its terminal. */
export async function reading(keeper: Keeper, id: string): Promise<Foreground> {
  return until(
    async () => {
      const probed = await keeper.probe(id)
      return probed.ok && probed.value?.reading === 'read' ? probed.value : null
    },
    { what: 'a program that reads' },
  )
}

/** The terminal's current state: what a conditional write is checked against. */
export async function lookAt(keeper: Keeper, id: string) {
  const waits = await reading(keeper, id)
  const { to, pty } = await infoOf(keeper, id)
  return { to, inputs: pty?.inputs ?? 0, waits: { pid: waits.pid, mark: waits.mark } }
}

/** A person's screen: everything sent to it. */
export async function screenOn(attached: AttachClient, id: string, from: number | 'now' = 0, size = usualSize) {
  let text = ''
  const sizes: string[] = []
  const exit = Promise.withResolvers<unknown>()
  const detached = Promise.withResolvers<string>()
  const attachment = await attached.attach(
    id,
    { from, ...size },
    {
      data: (bytes) => void (text += Buffer.from(bytes).toString()),
      exit: exit.resolve,
      size: (cols, rows) => sizes.push(`${cols}x${rows}`),
      detached: detached.resolve,
    },
  )
  if (!attachment.ok) throw new Error(attachment.fault.message)
  return { ...attachment.value, text: () => text, sizes, exit: exit.promise, detached: detached.promise }
}
