import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import type { Logger } from '../lib/log.ts'
import type { Children } from './operations.ts'
import type { Place } from './place.ts'
import { createReception } from './reception.ts'
import type { SpoolLimits } from './spool.ts'

/** The keeper itself: its children, its socket, and when it is no longer needed. */
export type Host = { stop(): Promise<void>; readonly stopped: Promise<void> }

type Deps = { place: Place; limits: SpoolLimits; lingerMs: number; log: Logger }

const stopGraceMs = 500
const watchMs = 10_000

export async function openHost({ place, limits, lingerMs, log }: Deps): Promise<Host> {
  const children: Children = { all: new Map(), starting: new Map(), place, limits, log, isClosing: false }
  const stopped = Promise.withResolvers<void>()
  const reception = createReception({ children, log, stop: endChildren, changed: considerEnd })
  let linger: NodeJS.Timeout | undefined
  let isLeaving = false
  let server = await listen()

  async function listen(): Promise<Server> {
    const next = createServer((socket) => reception.receive(socket))
    await bind(next, place.socket)
    return next
  }

  function considerEnd(): void {
    const isNeeded = reception.isConnected || children.all.size > 0 || children.starting.size > 0
    clearTimeout(linger)
    if (children.isClosing && children.all.size === 0) setImmediate(() => void leave())
    else if (!isNeeded) linger = setTimeout(() => void stop(), lingerMs)
  }

  async function endChildren(): Promise<void> {
    children.isClosing = true
    await Promise.allSettled(children.starting.values())
    await Promise.all(
      [...children.all].map(async ([id, child]) => {
        await child.end(stopGraceMs)
        await child.forget()
        children.all.delete(id)
      }),
    )
  }

  async function stop(): Promise<void> {
    await endChildren()
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
    lookAfterPlace().catch((error: unknown) => log.error({ error: String(error) }, 'the socket can not be made again'))
  }, watchMs)

  considerEnd()
  return { stop, stopped: stopped.promise }
}

/** Whoever calls this holds the keeper's lock, so a socket that is there has no one behind it. */
async function bind(server: Server, path: string): Promise<void> {
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
