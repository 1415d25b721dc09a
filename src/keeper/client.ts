import type { Logger } from '../lib/log.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { within } from '../lib/within.ts'
import { connect, type Answer, type Connection } from './connection.ts'
import { createListening, exitOf, type Listening } from './listening.ts'
import { placeOf } from './place.ts'
import { signal } from './processes.ts'
import { terminalsOver } from './pty/client.ts'
import { createTypedListeners, type TypedListeners } from './pty/typed-listeners.ts'
import { startKeeper } from './start.ts'
import type { ChildInfo, Keeper } from './types.ts'
import { isRecord, mostPayload, numberOf, type Frame } from './wire.ts'

export { reapLeftovers } from './reap.ts'
export { endVisit, visitMark } from './visit.ts'
export { attachTerminal } from './attach-client.ts'
export type { RelaySpec } from './relay.ts'
export type { Attached, AttachListener, Attachment, ChildInfo, ChildSpec, Exit, Keeper } from './types.ts'

/** Its children are asked, then made to end, and both take their time. */
const stopMs = 15_000

/**
 * Connects to the keeper of this data directory; starts one where none answers and `start` is true, else gives null. A
 * server has a connection for its agents and one for its terminals; a later one of the same role replaces the earlier.
 */
export async function connectKeeper(deps: {
  dataDir: string
  log: Logger
  start: boolean
  role?: 'agents' | 'terminals'
}): Promise<Result<Keeper | null>> {
  const place = placeOf(deps.dataDir)
  const listenings = new Map<number, Listening>()
  const typing = createTypedListeners()
  const received = (frame: Frame) =>
    frame.header['op'] === 'typed'
      ? typing.receive(frame)
      : listenings.get(numberOf(frame.header['listen']))?.receive(frame)
  const tryConnect = () => connect(place.socket, deps.log, received, deps.role ?? 'agents')
  const first = await tryConnect()
  const connected = first.ok && !first.value && deps.start ? await startKeeper(place, tryConnect) : first
  if (!connected.ok) return connected
  return ok(connected.value ? keeperOver(connected.value, listenings, typing, deps.log) : null)
}

function keeperOver(
  connection: Connection,
  listenings: Map<number, Listening>,
  typing: TypedListeners,
  log: Logger,
): Keeper {
  const { ask, tell } = connection
  const relays = connection.greeting['relays'] === true
  void connection.closed.then(() => {
    for (const listening of listenings.values()) listening.stop()
  })

  return {
    relays,
    async spawn(spec) {
      if (spec.relay && !relays) return tooOld
      const answer = await ask(spec.pty ? 'spawn-terminal' : 'spawn', { spec })
      return answer.ok ? ok(answer.value.value as ChildInfo) : answer
    },

    async list() {
      return certain(await ask('list')).value as ChildInfo[]
    },

    async listen(id, from, listener) {
      const number = connection.nextNumber()
      const listening = createListening({
        listener,
        taken: (offset) => tell('taken', { listen: number, offset }),
        ended() {
          listenings.delete(number)
          tell('unlisten', { listen: number })
        },
        log: log.child({ child: id }),
      })
      listenings.set(number, listening)
      const answer = await connection.askAs(number, 'listen', { id, from })
      if (answer.ok) return ok({ [Symbol.dispose]: listening.stop })
      listening.stop()
      return answer
    },

    async write(id, key, bytes) {
      const payload = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      if (payload.length > mostPayload) return tooLarge(id, payload.length)
      const answer = await ask('write', { id, key }, payload)
      return answer.ok ? ok(undefined) : answer
    },

    ...terminalsOver(connection),
    typed: typing.add,
    ack: (id, offset) => tell('ack', { id, offset }),
    stderr: async (id) => whole(certain(await ask('stderr', { id })).bytes),

    async read(id) {
      const { value, bytes } = certain(await ask('read', { id }))
      return { text: bytes, truncated: isRecord(value) && value['truncated'] === true }
    },

    async closeStdin(id) {
      certain(await ask('close-stdin', { id }))
    },

    end: async (id, graceMs) => exitOf(certain(await ask('end', { id, graceMs })).value),

    async forget(id) {
      certain(await ask('forget', { id }))
    },

    async stop(options = {}) {
      const pid = numberOf(connection.greeting['pid'])
      const told = { left: Number.NaN }
      const ended = ask('stop', { terminals: options.terminals === true }).then((answer) => {
        if (answer.ok && isRecord(answer.value.value)) told.left = numberOf(answer.value.value['left'])
        return connection.closed.then(() => true)
      })
      if (await within(ended, options.patienceMs ?? stopMs)) return
      // One that holds something may only be slow; one that said all has ended is not missed.
      const isEmpty = told.left === 0 && pid > 1
      log.error({ pid, ...told }, isEmpty ? 'the keeper does not end and is killed' : 'the keeper does not end')
      if (isEmpty) signal(pid, 'SIGKILL')
      await connection.close()
    },

    closed: connection.closed,
    [Symbol.asyncDispose]: connection.close,
  }
}

/** For what can only fail with the connection: whoever loses it learns so by `closed` as well. */
function certain(answer: Result<Answer>): Answer {
  if (answer.ok) return answer.value
  throw new Error(answer.fault.message)
}

/** The first bytes kept may be the rest of a letter. */
function whole(bytes: Buffer): string {
  let start = 0
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start).toString()
}

/** A child is never started with less of a border than it was to have. */
const tooOld = fail({
  kind: 'unavailable',
  code: 'keeper_too_old',
  message: "The running keeper is older than this version and can't give agents their own network.",
  hint: 'It is replaced once its last agent and terminal have ended, or by: signalbox stop',
})

const tooLarge = (id: string, bytes: number) =>
  fail({
    kind: 'limited',
    code: 'stdin_blocked',
    message: `${bytes} bytes are too many to send to ${id} at once.`,
    hint: 'Send less at a time.',
  })
