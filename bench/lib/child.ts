import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A bench file in its own process, called by function name. */
export type Child = AsyncDisposable & {
  readonly pid: number
  call<R>(name: string, input?: unknown): Promise<R>
}

/** No round takes this long; a longer silence is an error. */
const patienceMs = 60_000

type Reply = { value?: unknown; error?: string }

export async function startChild(file: string, settings: unknown): Promise<Child> {
  const child = fork(fileURLToPath(file), [JSON.stringify(settings)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const gone = new Promise<never>((_resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`${file} ended early (${code ?? signal})`)))
  })
  gone.catch(() => {})
  const late = (timer: (reason: Error) => void) =>
    setTimeout(() => timer(new Error(`no answer within ${patienceMs / 1000} s`)), patienceMs)
  const next = async <R>(): Promise<R> => {
    let timer: NodeJS.Timeout | undefined
    const answered = new Promise<Reply>((resolve, reject) => {
      child.once('message', resolve)
      timer = late(reject)
    })
    const reply = await Promise.race([answered, gone]).finally(() => clearTimeout(timer))
    if (reply.error !== undefined) throw new Error(`${file}: ${reply.error}`)
    return reply.value as R
  }
  await next()
  return {
    pid: child.pid ?? 0,
    call<R>(name: string, input?: unknown) {
      const answered = next<R>()
      child.send({ name, input })
      return answered
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      child.kill('SIGTERM')
      await ended
    },
  }
}
