import type { Logger } from '../lib/log.ts'
import { ok, type Result } from '../lib/result.ts'
import { connect, type Connection } from './connection.ts'
import { createListening, type Listening } from './listening.ts'
import { placeOf } from './place.ts'
import { startKeeper } from './start.ts'
import type { Attached, Attachment, AttachListener, ChildInfo, Size } from './types.ts'
import { isRecord, numberOf, textOf, type Frame } from './wire.ts'

/** Connects to work terminals, beside the server; starts a keeper where none answers and `start` is true, else gives null. */
export async function attachTerminal(deps: {
  dataDir: string
  log: Logger
  start: boolean
}): Promise<Result<Attached | null>> {
  const place = placeOf(deps.dataDir)
  const listenings = new Map<number, Listening>()
  const received = (frame: Frame) => listenings.get(numberOf(frame.header['listen']))?.receive(frame)
  const tryConnect = () => connect(place.socket, deps.log, received, 'attach')
  const first = await tryConnect()
  const connected = first.ok && !first.value && deps.start ? await startKeeper(place, tryConnect) : first
  if (!connected.ok) return connected
  return ok(connected.value ? attachedOver(connected.value, listenings, deps.log) : null)
}

function attachedOver(connection: Connection, listenings: Map<number, Listening>, log: Logger): Attached {
  const { ask } = connection

  async function attach(
    id: string,
    options: Size & { from: number | 'now' },
    listener: AttachListener,
  ): Promise<Result<Attachment>> {
    const number = connection.nextNumber()
    const gone = (why: string) => {
      if (!listenings.has(number)) return
      listening.stop()
      listener.detached?.(why)
    }
    const listening = createListening({
      listener,
      other(header) {
        if (header['op'] === 'size') listener.size(numberOf(header['cols']), numberOf(header['rows']))
        else if (header['op'] === 'detached') gone(textOf(header['why']))
      },
      taken: (offset) => connection.tell('taken', { listen: number, offset }),
      ended() {
        listenings.delete(number)
        connection.tell('unlisten', { listen: number })
      },
      log: log.child({ child: id }),
    })
    listenings.set(number, listening)
    void connection.closed.then(() => gone('the keeper is gone'))
    const answer = await connection.askAs(number, 'attach', { id, ...options })
    if (!answer.ok) {
      listening.stop()
      return answer
    }
    const started = isRecord(answer.value.value) ? numberOf(answer.value.value['from']) : 0
    return ok(attachment(number, started, listening))
  }

  function attachment(number: number, from: number, listening: Listening): Attachment {
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
        listening.stop()
        // Answered after the keeper has let go.
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
    closed: connection.closed,
    [Symbol.asyncDispose]: connection.close,
  }
}
