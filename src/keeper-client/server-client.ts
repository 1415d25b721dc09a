import { isRecord, mostPayload, numberOf, type Frame, sizeOf, textOf } from '../keeper/protocol/frames.ts'
import type { ChildInfo, ConditionalWrite, ForegroundProbe } from '../keeper/protocol/types.ts'
import type { Logger } from '../lib/log.ts'
import { signal } from '../lib/process-list.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { withTimeLimit } from '../lib/time-limit.ts'
import { openConnection, type ConnectDeps, type KeeperConnection, type KeeperReply } from './connection.ts'
import { createListenerQueue, exitOf, type ListenerQueue } from './listener-queue.ts'
import type { Keeper, TypedListener } from './types.ts'

/** Ending every child first takes a while. */
const stopMs = 15_000

/**
 * Connects to the keeper of this data directory. Null if none answers and `start` is false. A server has one connection
 * for its agents and one for its terminals; a later one of the same role replaces the earlier.
 */
export async function connectKeeper(
  deps: Omit<ConnectDeps, 'role'> & { role?: 'agents' | 'terminals' },
): Promise<Result<Keeper | null>> {
  const listeners = new Map<number, ListenerQueue>()
  const typed = createTypedListeners()
  const received = (frame: Frame) =>
    frame.header['op'] === 'typed'
      ? typed.receive(frame)
      : listeners.get(numberOf(frame.header['listen']))?.receive(frame)
  const connected = await openConnection({ ...deps, role: deps.role ?? 'agents' }, received)
  if (!connected.ok) return connected
  return ok(connected.value ? keeperOver(connected.value, listeners, typed, deps.log) : null)
}

function keeperOver(
  connection: KeeperConnection,
  listeners: Map<number, ListenerQueue>,
  typed: TypedListeners,
  log: Logger,
): Keeper {
  const { ask, tell } = connection
  const relays = connection.greeting['relays'] === true
  void connection.closed.then(() => {
    for (const queue of listeners.values()) queue.stop()
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
      const queue = createListenerQueue({
        listener,
        taken: (offset) => tell('taken', { listen: number, offset }),
        ended() {
          listeners.delete(number)
          tell('unlisten', { listen: number })
        },
        log: log.child({ child: id }),
      })
      listeners.set(number, queue)
      const answer = await connection.askAs(number, 'listen', { id, from })
      if (answer.ok) return ok({ [Symbol.dispose]: queue.stop })
      queue.stop()
      return answer
    },

    async write(id, key, bytes) {
      const payload = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      if (payload.length > mostPayload) return tooLarge(id, payload.length)
      return done(await ask('write', { id, key }, payload))
    },

    async writeIf(id, key, bytes, cond) {
      const payload = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      const answer = await ask('write-if', { id, key, cond }, payload)
      return answer.ok ? ok(answer.value.value as ConditionalWrite) : answer
    },

    resize: async (id, size, { force = false } = {}) => done(await ask('resize', { id, ...size, force })),
    signal: async (id, name) => done(await ask('signal', { id, signal: name })),
    reply: (id, bytes) => tell('reply', { id }, bytes),

    async probe(id) {
      const answer = await ask('probe', { id })
      return answer.ok ? ok(answer.value.value as ForegroundProbe | null) : answer
    },

    typed: typed.add,
    ack: (id, offset) => tell('ack', { id, offset }),
    stderr: async (id) => wholeCharacters(certain(await ask('stderr', { id })).bytes),

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
      if (await withTimeLimit(ended, options.patienceMs ?? stopMs)) return
      // One that still holds children may only be slow; an empty one can be killed.
      const isEmpty = told.left === 0 && pid > 1
      log.error({ pid, ...told }, isEmpty ? 'the keeper does not end and is killed' : 'the keeper does not end')
      if (isEmpty) signal(pid, 'SIGKILL')
      await connection.close()
    },

    closed: connection.closed,
    [Symbol.asyncDispose]: connection.close,
  }
}

const done = (answer: Result<KeeperReply>): Result<void> => (answer.ok ? ok(undefined) : answer)

/** For requests that can only fail if the connection is lost, which `closed` reports as well. */
function certain(answer: Result<KeeperReply>): KeeperReply {
  if (answer.ok) return answer.value
  throw new Error(answer.fault.message)
}

/** The first bytes kept may be the rest of a character. */
function wholeCharacters(bytes: Buffer): string {
  let start = 0
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start).toString()
}

/** A child never starts less confined than requested. */
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

/** Listeners to what is typed, by child. */
type TypedListeners = { receive(frame: Frame): void; add(id: string, listener: TypedListener): Disposable }

function createTypedListeners(): TypedListeners {
  const all = new Map<string, Set<TypedListener>>()
  return {
    receive({ header, payload }) {
      const size = isRecord(header['size']) ? { size: sizeOf(header['size']) } : {}
      const at = { to: numberOf(header['to']), inputs: numberOf(header['inputs']), by: textOf(header['by']), ...size }
      for (const listener of all.get(textOf(header['id'])) ?? []) listener(payload, at)
    },
    add(id, listener) {
      const those = all.get(id) ?? new Set()
      all.set(id, those.add(listener))
      return {
        [Symbol.dispose]() {
          those.delete(listener)
          if (those.size === 0 && all.get(id) === those) all.delete(id)
        },
      }
    },
  }
}
