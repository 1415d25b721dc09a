import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../result.ts'
import { readUntil } from './dial.ts'

const mostConnections = 256
const firstLine = { most: 512, ms: 10_000 }

/** The outer half of a relay: each connection says in its first line where it wants to go. */
export async function openLineRelay(input: {
  readonly socket: string
  /** Connected, or why not. A connection that the caller serves itself gives null. */
  reach(line: string, near: Socket): Promise<Result<Socket | null>>
  refused(line: string, why: string): void
}): Promise<Result<Disposable>> {
  const near = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    near.add(socket)
    socket.on('close', () => near.delete(socket))
    socket.on('error', () => {})
    void serve(socket, input)
  })
  server.maxConnections = mostConnections
  try {
    await listen(server, input.socket)
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

async function serve(
  near: Socket,
  { reach, refused }: Pick<Parameters<typeof openLineRelay>[0], 'reach' | 'refused'>,
): Promise<void> {
  const line = await readUntil(near, '\n', firstLine)
  if (line === null || near.destroyed) return void near.destroy()
  const far = await reach(line, near)
  if (!far.ok) {
    refused(line, far.fault.code)
    near.write(`no ${far.fault.code} ${far.fault.message}\n`)
    return near.destroySoon()
  }
  if (far.value === null) return
  if (near.destroyed) return void far.value.destroy()
  near.write('ok\n')
  join(near, far.value)
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

export const notLetOut = fail({ kind: 'forbidden', code: 'not_let_out', message: 'that connection is not allowed' })
