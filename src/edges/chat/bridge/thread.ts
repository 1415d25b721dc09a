import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { HostCalls, HostOptions, ServerCalls } from './calls.ts'
import { createHider } from './hide-secrets.ts'
import { createRpc, type Rpc } from './rpc.ts'

const mostMegabytes = 512
const closeMs = 10_000
/** Of an error; hidden before it is cut, because a part of a secret is no longer known as one. */
const mostShown = 1000
/** What an adapter needs of the environment: never our own settings, which may hold secrets. */
const inherited = ['NODE_EXTRA_CA_CERTS', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY', 'TZ', 'LANG']

/** A thread with one adapter. Disposing it disconnects the adapter first. */
export type HostThread = AsyncDisposable &
  Pick<Rpc<HostCalls>, 'call'> & {
    /** Resolves with the reason when the thread ends, whatever ended it. */
    readonly ended: Promise<string>
  }

export function startThread(options: HostOptions, own: ServerCalls, { isSpare = false } = {}): HostThread {
  const name = import.meta.url.endsWith('.ts') ? './worker.ts' : './chat-bridge-worker.js'
  const worker = new Worker(fileURLToPath(new URL(name, import.meta.url)), {
    workerData: options,
    execArgv: [],
    env: Object.fromEntries(inherited.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : []))),
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    stdin: false,
    stdout: true,
    stderr: true,
  })
  // Nobody waits for one that is kept for later requests.
  if (isSpare) worker.unref()
  // Some adapters print what they do; the log has what matters.
  worker.stdout.resume()
  worker.stderr.resume()
  const hidden = createHider(options.config)
  const hide = (text: string) => hidden(text).slice(0, mostShown)
  const log: ServerCalls['log'] = (level, message, error) =>
    own.log(level, hide(message), error === null ? null : hide(error))
  const rpc = createRpc<HostCalls>(worker, { ...own, log }, hide)
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const end = (reason: string) => {
    rpc.end(hide(reason))
    resolve(hide(reason))
  }
  worker.on('error', (error: unknown) =>
    end(`the adapter failed: ${error instanceof Error ? error.message : String(error)}`),
  )
  worker.on('exit', (code) => end(`the adapter ended with code ${code}`))
  return {
    call: rpc.call,
    ended,
    async [Symbol.asyncDispose]() {
      await rpc.call('close', [], closeMs).catch(() => {})
      await worker.terminate()
      end('stopped')
    },
  }
}
