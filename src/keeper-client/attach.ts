import { isRecord, numberOf, textOf, type Frame } from '../keeper/protocol/frames.ts'
import type { ChildInfo, Size } from '../keeper/protocol/types.ts'
import type { Logger } from '../lib/log.ts'
import { ok, type Result } from '../lib/result.ts'
import { openConnection, type ConnectDeps, type KeeperConnection } from './connection.ts'
import { createListenerQueue, type ListenerQueue } from './listener-queue.ts'
import type { AttachClient, Attachment, AttachListener } from './types.ts'

/** Connects for attaching to terminals, beside the server's connection. Null if no keeper answers and none is started. */
export async function attachTerminal(deps: Omit<ConnectDeps, 'role'>): Promise<Result<AttachClient | null>> {
  const listeners = new Map<number, ListenerQueue>()
  const received = (frame: Frame) => listeners.get(numberOf(frame.header['listen']))?.receive(frame)
  const connected = await openConnection({ ...deps, role: 'attach' }, received)
  if (!connected.ok) return connected
  return ok(connected.value ? attachedOver(connected.value, listeners, deps.log) : null)
}

function attachedOver(connection: KeeperConnection, listeners: Map<number, ListenerQueue>, log: Logger): AttachClient {
  const { ask } = connection

  async function attach(
    id: string,
    options: Size & { from: number | 'now' },
    listener: AttachListener,
  ): Promise<Result<Attachment>> {
    const number = connection.nextNumber()
    const gone = (why: string) => {
      if (!listeners.has(number)) return
      queue.stop()
      listener.detached?.(why)
    }
    const queue = createListenerQueue({
      listener,
      other(header) {
        if (header['op'] === 'size') listener.size(numberOf(header['cols']), numberOf(header['rows']))
        else if (header['op'] === 'detached') gone(textOf(header['why']))
      },
      taken: (offset) => connection.tell('taken', { listen: number, offset }),
      ended() {
        listeners.delete(number)
        connection.tell('unlisten', { listen: number })
      },
      log: log.child({ child: id }),
    })
    listeners.set(number, queue)
    void connection.closed.then(() => gone('the keeper is gone'))
    const answer = await connection.askAs(number, 'attach', { id, ...options })
    if (!answer.ok) {
      queue.stop()
      return answer
    }
    const started = isRecord(answer.value.value) ? numberOf(answer.value.value['from']) : 0
    return ok(attachment(number, started, queue))
  }

  function attachment(number: number, from: number, queue: ListenerQueue): Attachment {
    return {
      from,
      async write(bytes) {
        const payload = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
        const answer = await ask('type', { listen: number }, payload)
        return answer.ok ? ok(undefined) : answer
      },
      async resize(cols, rows) {
        const answer = await ask('resize-screen', { listen: number, cols, rows })
        return answer.ok ? ok(undefined) : answer
      },
      async detach() {
        queue.stop()
        // Its reply comes after the keeper has detached us.
        await ask('list')
      },
    }
  }

  return {
    async spawn(spec) {
      const answer = await ask('spawn-terminal', { spec })
      return answer.ok ? ok(answer.value.value as ChildInfo) : answer
    },
    async list() {
      const answer = await ask('list')
      return answer.ok ? (answer.value.value as ChildInfo[]) : []
    },
    attach,
    async plainOutput(tty) {
      const answer = await ask('plain-output', { tty })
      return answer.ok && answer.value.value === true
    },
    closed: connection.closed,
    [Symbol.asyncDispose]: connection.close,
  }
}
