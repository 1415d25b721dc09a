import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy between browser and server that can reset connections. */
export type ResetProxy = AsyncDisposable & {
  readonly address: string
  /** Resets every connection, and each new one as soon as it is made. */
  cut(): void
  mend(): void
}

export async function openResetProxy(to: () => string): Promise<ResetProxy> {
  const ends = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket, other: () => Socket) => {
    ends.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      ends.delete(socket)
      other().destroy()
    })
  }
  const server = createServer((near) => {
    near.on('error', () => undefined)
    if (isCut) {
      near.resetAndDestroy()
      return
    }
    const { hostname, port } = new URL(to())
    const far = connect(Number(port), hostname)
    keep(near, () => far)
    keep(far, () => near)
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const cut = () => {
    isCut = true
    for (const socket of ends) socket.resetAndDestroy()
  }
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend() {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/** A free port, kept across a restart: the name of the login cookie contains it. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return port
}
