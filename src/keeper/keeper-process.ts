import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import { unsafeFolder } from '../lib/socket-path.ts'
import type { Logger } from '../lib/log.ts'
import type { Child } from './child.ts'
import type { Children } from './children.ts'
import type { KeeperPaths } from './protocol/paths.ts'
import { createAcceptor } from './acceptor.ts'
import { createRelays } from './relay/relay.ts'
import type { SpoolLimits } from './output/spool.ts'

/** The running keeper: its children, its socket, and when it ends. */
export type KeeperProcess = { stop(): Promise<void>; readonly stopped: Promise<void> }

type Deps = { paths: KeeperPaths; limits: SpoolLimits; lingerMs: number; log: Logger }

const stopGraceMs = 500
const watchMs = 10_000
/** How long the output of a terminal that ended without a server is kept. */
const endedTerminalsMs = 60 * 60 * 1000

export async function openKeeper({ paths, limits, lingerMs, log }: Deps): Promise<KeeperProcess> {
  const children: Children = {
    all: new Map(),
    starting: new Map(),
    paths,
    limits,
    log,
    relays: createRelays(log),
    typed: (...typed) => acceptor.typed(...typed),
    changed: considerEnd,
    isClosing: false,
    isForTerminals: false,
  }
  const stopped = Promise.withResolvers<void>()
  const acceptor = createAcceptor({ children, log, stop: endOnRequest, changed: considerEnd })
  let linger: NodeJS.Timeout | undefined
  let isLeaving = false
  let server = await listen()

  async function listen(): Promise<Server> {
    const next = createServer((socket) => acceptor.receive(socket))
    await bind(next, paths.socket)
    return next
  }

  function considerEnd(): void {
    if (children.isForTerminals) forgetEndedTerminals()
    const { all, starting, isClosing } = children
    const isWorking = starting.size > 0 || all.values().some((child) => !child.terminal || !child.hasExited())
    clearTimeout(linger)
    if (isClosing && all.size === 0) setImmediate(() => void leave())
    else if (!isWorking && !acceptor.isConnected)
      linger = setTimeout(() => void stop(), all.size > 0 ? Math.max(lingerMs, endedTerminalsMs) : lingerMs)
  }

  /** The keeper stays for terminals that still run, unless they are to end too. Gives how many. */
  async function endOnRequest(terminals: boolean): Promise<number> {
    children.isClosing = true
    await Promise.allSettled(children.starting.values())
    const lives = (child: Child) => !terminals && child.terminal !== null && !child.hasExited()
    const left = [...children.all.values()].filter(lives).length
    if (left > 0) log.info({ terminals: left }, 'the keeper was asked to end, and stays for terminals that still run')
    await endThose((child) => !lives(child))
    children.isClosing = left === 0
    children.isForTerminals = left > 0
    return left
  }

  async function endThose(isOne: (child: Child) => boolean): Promise<void> {
    await Promise.all(
      [...children.all].map(async ([id, child]) => {
        if (!isOne(child)) return
        await child.end(stopGraceMs)
        await child.forget()
        if (children.all.get(id) === child) children.all.delete(id)
      }),
    )
  }

  /** After a stop no server reads them. */
  function forgetEndedTerminals(): void {
    for (const [id, child] of children.all) {
      const { exit, pty } = child.info()
      if (!exit || !pty || pty.attached > 0) continue
      children.all.delete(id)
      void child.forget()
    }
  }

  async function stop(): Promise<void> {
    children.isClosing = true
    await Promise.allSettled(children.starting.values())
    await endThose(() => true)
    await leave()
  }

  async function leave(): Promise<void> {
    if (isLeaving) return
    isLeaving = true
    clearInterval(watch)
    clearTimeout(linger)
    server.close()
    rmSync(paths.spool, { recursive: true, force: true })
    // Logged before the connections close: a caller may remove the data directory then.
    log.info({}, 'the keeper ends')
    await acceptor.close()
    stopped.resolve()
  }

  /** Without its data directory no server can ever come back. The socket file alone may have been cleaned up. */
  async function checkFiles(): Promise<void> {
    if (!existsSync(paths.dataDir)) await stop()
    else if (!existsSync(paths.socket) && !children.isClosing) {
      server.close()
      server = await listen()
      log.warn({ socket: paths.socket }, 'the socket file was missing and was made again')
    }
  }
  const watch = setInterval(() => {
    checkFiles().catch((error: unknown) => log.error({ error: String(error) }, "the socket can't be created again"))
  }, watchMs)

  considerEnd()
  return { stop, stopped: stopped.promise }
}

/** We hold the keeper's lock, so no keeper listens on an existing socket file. */
async function bind(server: Server, path: string): Promise<void> {
  const unsafe = unsafeFolder(path, true)
  if (unsafe !== null) throw new Error(unsafe.message)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  // Only while binding: children inherit the mask.
  const mask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
      process.umask(mask)
    })
  } finally {
    process.umask(mask)
  }
  server.on('error', () => {})
}
