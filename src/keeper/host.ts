import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import { unsafeFolder } from '../lib/socket-path.ts'
import type { Logger } from '../lib/log.ts'
import type { Child } from './child.ts'
import type { Children } from './children.ts'
import type { Place } from './place.ts'
import { createReception } from './reception.ts'
import { createRelays } from './relay.ts'
import type { SpoolLimits } from './spool.ts'

/** The keeper itself: its children, its socket, and when it is no longer needed. */
export type Host = { stop(): Promise<void>; readonly stopped: Promise<void> }

type Deps = { place: Place; limits: SpoolLimits; lingerMs: number; log: Logger }

const stopGraceMs = 500
const watchMs = 10_000
/** What a terminal printed that ended without a server is kept so long for one. */
const endedTerminalsMs = 60 * 60 * 1000

export async function openHost({ place, limits, lingerMs, log }: Deps): Promise<Host> {
  const children: Children = {
    all: new Map(),
    starting: new Map(),
    place,
    limits,
    log,
    relays: createRelays(log),
    typed: (...typed) => reception.typed(...typed),
    changed: considerEnd,
    isClosing: false,
    isForTerminals: false,
  }
  const stopped = Promise.withResolvers<void>()
  const reception = createReception({ children, log, stop: endOnRequest, changed: considerEnd })
  let linger: NodeJS.Timeout | undefined
  let isLeaving = false
  let server = await listen()

  async function listen(): Promise<Server> {
    const next = createServer((socket) => reception.receive(socket))
    await bind(next, place.socket)
    return next
  }

  function considerEnd(): void {
    if (children.isForTerminals) forgetEndedTerminals()
    const { all, starting, isClosing } = children
    const isWorking = starting.size > 0 || all.values().some((child) => !child.terminal || !child.hasExited())
    clearTimeout(linger)
    if (isClosing && all.size === 0) setImmediate(() => void leave())
    else if (!isWorking && !reception.isConnected)
      linger = setTimeout(() => void stop(), all.size > 0 ? Math.max(lingerMs, endedTerminalsMs) : lingerMs)
  }

  /** People's terminals are theirs: the keeper stays for those that live, and gives how many. */
  async function endOnRequest(terminals: boolean): Promise<number> {
    children.isClosing = true
    await Promise.allSettled(children.starting.values())
    const lives = (child: Child) => !terminals && child.terminal !== null && !child.hasExited()
    const left = [...children.all.values()].filter(lives).length
    if (left > 0) log.info({ terminals: left }, 'the keeper was asked to end, and stays for terminals')
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

  /** After a stop nobody comes to read them. */
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
    rmSync(place.spool, { recursive: true, force: true })
    // Said before the farewell: whoever hears that may remove the data directory.
    log.info({}, 'the keeper ends')
    await reception.close()
    stopped.resolve()
  }

  /** Where the data directory is gone nobody can ever come back; a socket file alone may have been tidied away. */
  async function lookAfterPlace(): Promise<void> {
    if (!existsSync(place.dataDir)) await stop()
    else if (!existsSync(place.socket) && !children.isClosing) {
      server.close()
      server = await listen()
      log.warn({ socket: place.socket }, 'the socket was gone and was made again')
    }
  }
  const watch = setInterval(() => {
    lookAfterPlace().catch((error: unknown) => log.error({ error: String(error) }, "the socket can't be created again"))
  }, watchMs)

  considerEnd()
  return { stop, stopped: stopped.promise }
}

/** Whoever calls this holds the keeper's lock, so a socket that is there has no one behind it. */
async function bind(server: Server, path: string): Promise<void> {
  const unsafe = unsafeFolder(path, true)
  if (unsafe !== null) throw new Error(unsafe.message)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  // Only for the moment of binding: children inherit the mask.
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
