import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createDecoder, encodeFrame, type Frame } from './frames.ts'

/** One end of a connection, in frames. */
export type Peer = {
  /** Bytes that did not come through the socket's events. They are valid until this returns. */
  read(bytes: Buffer): void
  send(header: Readonly<Record<string, unknown>>, payload?: Uint8Array): void
  /** Resolves when the socket takes more, or the connection is gone. */
  ready(): Promise<void>
  end(): void
  destroy(): void
  readonly closed: Promise<void>
}

export function createPeer(socket: Socket, received: (frame: Frame) => void, broken: (error: unknown) => void): Peer {
  const decode = createDecoder()
  const gone = Promise.withResolvers<void>()
  let drain: Promise<unknown> | null = null
  socket.on('error', () => {})
  socket.on('close', () => gone.resolve())
  const read = (bytes: Buffer) => {
    try {
      for (const frame of decode(bytes)) received(frame)
    } catch (error) {
      broken(error)
      socket.destroy()
    }
  }
  socket.on('data', read)
  return {
    read,
    send(header, payload) {
      if (!socket.writable) return
      socket.cork()
      for (const piece of encodeFrame(header, payload)) if (piece.length > 0) socket.write(piece)
      socket.uncork()
    },
    async ready() {
      while (socket.writableNeedDrain && !socket.destroyed) {
        drain ??= Promise.race([once(socket, 'drain').catch(() => {}), gone.promise]).finally(() => (drain = null))
        await drain
      }
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    closed: gone.promise,
  }
}
