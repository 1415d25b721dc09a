import { isRecord } from '../../../lib/parse-json.ts'

/** Calls in both directions over a port, each with a time limit. */

type Port = {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}
type Handlers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

/** What is left of an error on the other side. */
export type ErrorData = {
  readonly name: string
  readonly message: string
  readonly code: string | null
  /** In seconds. */
  readonly retryAfter: number | null
  readonly cause: string | null
}

/** Far more than is shown: what is cut here could end in a part of a secret, which nobody would know as one. */
const mostText = 20_000

export class RemoteError extends Error {
  readonly data: ErrorData
  constructor(data: ErrorData) {
    super(data.message)
    this.data = data
  }
}
/** It may still be done, later. */
class TookTooLong extends Error {}
/** The other side is gone; what it was doing may have been done. */
class Ended extends Error {}

export function errorData(error: unknown): ErrorData {
  const fields = isRecord(error) ? error : {}
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const inner = [fields['originalError'], fields['cause']].find(isRecord)
  const innermost = inner && isRecord(inner['cause']) ? inner['cause'] : inner
  return {
    name: error instanceof Error ? error.name : 'Error',
    message: (error instanceof Error ? error.message : String(error)).slice(0, mostText),
    code: text(fields['code']),
    retryAfter: typeof fields['retryAfter'] === 'number' ? fields['retryAfter'] : null,
    cause: text(innermost?.['code']),
  }
}

export type Rpc<Remote extends Handlers> = {
  call<K extends keyof Remote & string>(
    name: K,
    args: Parameters<Remote[K]>,
    limitMs: number,
  ): Promise<Awaited<ReturnType<Remote[K]>>>
  /** Ends all calls that wait. */
  end(reason: string): void
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void; timer: NodeJS.Timeout }

/** `hide` takes out of the other side's errors what nobody should read. */
export function createRpc<Remote extends Handlers>(
  port: Port,
  own: Handlers,
  hide: (text: string) => string = (text) => text,
): Rpc<Remote> {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let ended: string | null = null

  const hidden = (data: ErrorData): ErrorData => ({ ...data, message: hide(data.message) })

  async function answer(id: number, name: string, args: never[]): Promise<void> {
    try {
      const value = await own[name]?.(...args)
      port.postMessage({ id, value })
    } catch (error) {
      port.postMessage({ id, error: errorData(error) })
    }
  }

  port.on('message', (message) => {
    if (!isRecord(message) || typeof message['id'] !== 'number') return
    const { id, name, args, error, value } = message
    if (typeof name === 'string') {
      void answer(id, name, (args ?? []) as never[])
      return
    }
    const call = waiting.get(id)
    if (!call) return
    waiting.delete(id)
    clearTimeout(call.timer)
    if (isRecord(error)) call.reject(new RemoteError(hidden(error as ErrorData)))
    else call.resolve(value)
  })

  return {
    call: (name, args, limitMs) =>
      new Promise((resolve, reject) => {
        if (ended !== null) return reject(new Ended(ended))
        const id = (lastId += 1)
        const late = () => {
          waiting.delete(id)
          reject(new TookTooLong(`no answer within ${Math.round(limitMs / 1000)} s`))
        }
        waiting.set(id, { resolve, reject, timer: setTimeout(late, limitMs) })
        port.postMessage({ id, name, args })
      }),
    end(reason) {
      ended ??= reason
      for (const { reject, timer } of waiting.values()) {
        clearTimeout(timer)
        reject(new Ended(reason))
      }
      waiting.clear()
    },
  }
}
