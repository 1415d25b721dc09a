// The thread of one adapter of the Chat SDK. Whatever the adapter does, the server continues.
import { parentPort, workerData } from 'node:worker_threads'
import type { HostOptions, ServerCalls } from './calls.ts'
import { createHost } from './host.ts'
import { createRpc, errorData, type Rpc } from './rpc.ts'

if (!parentPort) throw new Error('this is a worker')

// Nobody waited for it. What the adapter was asked to do reports its own errors.
process.on('unhandledRejection', report)

function report(reason: unknown): void {
  const { name, message } = errorData(reason)
  const args = ['error', 'unhandled error in the adapter', `${name}: ${message}`] as const
  server.call('log', [...args], 10_000).catch(() => {})
}

const server: Rpc<ServerCalls> = createRpc<ServerCalls>(
  parentPort,
  createHost(workerData as HostOptions, () => server),
)
