import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../lib/result.ts'
import { unsafeFolder } from '../../lib/socket-path.ts'

export type TcpOptions = {
  host: string
  port: number
  /** Try other ports: this one is only the default. */
  anyPort: boolean
  tls: { cert: string; key: string } | null
  patience?: Timeouts
}

/** In milliseconds: for the headers, for a whole request, and between checks. */
type Timeouts = { headers: number; request: number; look: number }

// Uploads from a slow phone may take a while; headers must not.
const defaultTimeouts: Timeouts = { headers: 20_000, request: 120_000, look: 30_000 }

/** The same for every listener: agents are trusted no more than the network. */
const limitsOf = ({ headers, request, look }: Timeouts) => ({
  headersTimeout: headers,
  requestTimeout: request,
  connectionsCheckingInterval: look,
  keepAliveTimeout: idleMs,
})
// Longer than proxies and clients keep a connection: a request sent while we close it would be lost.
const idleMs = 75_000
const mostConnections = 10_000

export type TcpListener = { port: number; taken: number | null } & AsyncDisposable

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

export async function listenTcp(options: TcpOptions, listener: RequestListener): Promise<Result<TcpListener>> {
  const limits = limitsOf(options.patience ?? defaultTimeouts)
  let server: Server
  try {
    server = options.tls
      ? process
          .getBuiltinModule('node:https')
          .createServer(
            { ...limits, cert: readFileSync(options.tls.cert), key: readFileSync(options.tls.key) },
            listener,
          )
      : createServer(limits, listener)
  } catch (error) {
    return fail(cannotUseTls(error))
  }
  server.maxConnections = mostConnections
  const candidates = options.anyPort ? [...Array.from({ length: 10 }, (_, n) => options.port + n), 0] : [options.port]
  for (const port of candidates) {
    try {
      await bound(server, () => server.listen(port, options.host))
      const address = server.address() as AddressInfo
      return ok({
        port: address.port,
        taken: options.port === 0 || address.port === options.port ? null : options.port,
        ...closing(server),
      })
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') return fail(cannotListen(options.host, port, error))
    }
  }
  return fail({
    kind: 'unavailable',
    code: 'port_taken',
    message: `Port ${options.port} on ${options.host} is in use by another program.`,
    hint: 'Choose another with --port, or stop that program.',
  })
}

/** The same API for the local command line; only the owner of the data directory can connect. */
export async function listenSocket(path: string, listener: RequestListener): Promise<Result<AsyncDisposable>> {
  const server = createServer(limitsOf(defaultTimeouts), listener)
  server.maxConnections = mostConnections
  const unsafe = unsafeFolder(path, true)
  if (unsafe !== null) return fail(unsafe)
  if (!path.startsWith('\\\\')) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  for (let attempt = 1; ; attempt += 1) {
    const before = process.umask(0o177)
    try {
      await bound(server, () => server.listen(path))
      break
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || attempt > 1) return fail(cannotListen(path, null, error))
      // Left behind by a killed server: no other server uses our data directory.
      rmSync(path, { force: true })
    } finally {
      process.umask(before)
    }
  }
  if (!path.startsWith('\\\\')) chmodSync(path, 0o600)
  return ok(closing(server))
}

function bound(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      server.off('listening', ready)
      reject(error)
    }
    const ready = () => {
      server.off('error', failed)
      resolve()
    }
    server.once('error', failed)
    server.once('listening', ready)
    listen()
  })
}

function closing(server: Server): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => {
        server.close(resolve)
      })
      server.closeIdleConnections()
      // Running requests get a moment to finish.
      const rest = setTimeout(() => server.closeAllConnections(), 2000)
      await closed
      clearTimeout(rest)
    },
  }
}

const cannotUseTls = (error: unknown) => ({
  kind: 'unavailable' as const,
  code: 'tls_not_usable',
  message: `The certificate can't be used: ${error instanceof Error ? error.message : String(error)}.`,
  hint: 'Check tls_cert and tls_key under [http]: both PEM files, readable, and belonging together.',
})

const cannotListen = (place: string, port: number | null, error: unknown) => ({
  kind: 'unavailable' as const,
  code: 'cannot_listen',
  message: `Can't listen on ${port === null ? place : `${place}:${port}`}: ${error instanceof Error ? error.message : String(error)}.`,
  hint:
    codeOf(error) === 'EACCES'
      ? 'Ports below 1024 and directories of other users need more privileges.'
      : 'Check host and port under [http].',
})
