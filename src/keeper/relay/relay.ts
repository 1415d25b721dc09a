import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Logger } from '../../lib/log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { RelaySpec } from '../protocol/types.ts'
import { dial, dialOneOf, dialOutside, dialThrough, readUntil } from './dial.ts'

export type Relays = {
  /** Open when it resolves. Dispose of it when the child is gone. */
  hold(spec: RelaySpec): Promise<Result<Disposable>>
}

const mostConnections = 256
const firstLine = { most: 512, ms: 10_000 }
/** A hostile child must not fill the log. */
const mostRefusalsLogged = 50

export function createRelays(log: Logger): Relays {
  const open = new Map<string, { opening: Promise<Result<Disposable>>; holders: number }>()

  function letGo(socket: string): void {
    const relay = open.get(socket)
    if (!relay) return
    relay.holders -= 1
    if (relay.holders > 0) return
    open.delete(socket)
    void relay.opening.then((opened) => opened.ok && opened.value[Symbol.dispose]())
  }

  return {
    async hold(spec) {
      const relay = open.get(spec.socket) ?? { opening: openRelay(spec, log), holders: 0 }
      relay.holders += 1
      open.set(spec.socket, relay)
      const opened = await relay.opening
      if (!opened.ok) letGo(spec.socket)
      let held = opened.ok
      return opened.ok
        ? ok({
            [Symbol.dispose]() {
              if (held) letGo(spec.socket)
              held = false
            },
          })
        : opened
    },
  }
}

async function openRelay(spec: RelaySpec, log: Logger): Promise<Result<Disposable>> {
  const near = new Set<Socket>()
  let refusals = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    near.add(socket)
    socket.on('close', () => near.delete(socket))
    socket.on('error', () => {})
    void serve(socket, spec, (line, why) => {
      refusals += 1
      if (refusals <= mostRefusalsLogged) log.info({ line, why }, 'a connection of a child was refused')
    })
  })
  server.maxConnections = mostConnections
  try {
    await listen(server, spec.socket)
  } catch (error) {
    return fail({
      kind: 'unavailable',
      code: 'spawn_failed',
      message: `The relay of a child can't be opened: ${error instanceof Error ? error.message : String(error)}`,
    })
  }
  return ok({
    [Symbol.dispose]() {
      server.close()
      for (const socket of near) socket.destroy()
    },
  })
}

/** Its directory is closed to others. In the sandbox another user may connect. */
async function listen(server: Server, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o666)
  server.on('error', () => {})
}

async function serve(near: Socket, spec: RelaySpec, refused: (line: string, why: string) => void): Promise<void> {
  const line = await readUntil(near, '\n', firstLine)
  if (line === null || near.destroyed) return void near.destroy()
  const far = await reach(line, spec)
  if (!far.ok) {
    refused(line, far.fault.code)
    near.write(`no ${far.fault.code} ${far.fault.message}\n`)
    return near.destroySoon()
  }
  if (near.destroyed) return void far.value.destroy()
  near.write('ok\n')
  join(near, far.value)
}

async function reach(line: string, spec: RelaySpec): Promise<Result<Socket>> {
  if (line === 'gate') return spec.gate === null ? notLetOut : dial({ path: spec.gate })
  const [, allowed] = /^port (\d{1,5})$/.exec(line) ?? []
  if (allowed !== undefined)
    return spec.ports.includes(Number(allowed)) ? dialOneOf(['127.0.0.1', '::1'], Number(allowed)) : notLetOut
  const [, host, digits] = /^tcp ([\w.:%-]{1,255}) (\d{1,5})$/.exec(line) ?? []
  const port = Number(digits)
  if (host === undefined || port < 1 || port > 65_535 || spec.outside === null) return notLetOut
  const { proxy, direct } = spec.outside
  const through = proxy !== null && !isDirect(host, direct) ? URL.parse(proxy) : null
  return through ? dialThrough(through, host, port) : dialOutside(host, port)
}

/** The usual meaning of NO_PROXY: names and what ends with them, or `*`. */
export const isDirect = (host: string, direct: string): boolean =>
  direct
    .split(/[\s,]+/)
    .map((one) =>
      one
        .toLowerCase()
        .replace(/:\d+$/, '')
        .replace(/^\*?\./, ''),
    )
    .some(
      (one) => one === '*' || (one !== '' && (host.toLowerCase() === one || host.toLowerCase().endsWith(`.${one}`))),
    )

/** Both ways, at the pace of the slower side. One side may end while the other still sends. */
function join(near: Socket, far: Socket): void {
  near.pipe(far)
  far.pipe(near)
  const endsWith = (one: Socket, other: Socket) =>
    one.on('close', () => (one.readableEnded && one.writableFinished) || other.destroy())
  endsWith(near, far)
  endsWith(far, near)
}

const notLetOut = fail({ kind: 'forbidden', code: 'not_let_out', message: 'that connection is not allowed' })
