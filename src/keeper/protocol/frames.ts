import type { Size } from './types.ts'

/** A frame: two lengths, a header in JSON, and raw bytes. */
export type Frame = { header: Record<string, unknown>; payload: Buffer }

/** Changed only if an older keeper could no longer serve a newer server; new operations and fields need no change. */
export const protocol = 1

/**
 * What a connection is for: the server's agents, its terminals, or an attached person. The words differ because an old
 * keeper without terminals would take any `hello` for a new server.
 */
export const hellos = { agents: 'hello', terminals: 'hello-terminals', attach: 'hello-attach' } as const
export type ConnectionRole = keyof typeof hellos

export const roleOf = (op: unknown): ConnectionRole | null =>
  op === hellos.agents ? 'agents' : op === hellos.terminals ? 'terminals' : op === hellos.attach ? 'attach' : null

const mostHeader = 16 * 1024 * 1024
export const mostPayload = 64 * 1024 * 1024
const empty = Buffer.alloc(0)

export function encodeFrame(header: Readonly<Record<string, unknown>>, payload: Uint8Array = empty): Buffer[] {
  const text = Buffer.from(JSON.stringify(header))
  const lengths = Buffer.allocUnsafe(8)
  lengths.writeUInt32BE(text.length, 0)
  lengths.writeUInt32BE(payload.length, 4)
  return [Buffer.concat([lengths, text]), Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)]
}

/** From this size on a payload gets separate memory, which can be passed on. */
const ownBytes = 4096

/**
 * Makes frames of the pieces the bytes arrive in. Bytes are copied, so the reader can reuse its buffer.
 * Throws if it is not a frame; the connection is closed then.
 */
export function createDecoder(): (bytes: Buffer) => Frame[] {
  let part: 'lengths' | 'header' | 'payload' = 'lengths'
  let into = roomFor(8)
  let filled = 0
  let payloadLength = 0
  let header: Record<string, unknown> = {}

  function expect(next: typeof part, length: number): void {
    part = next
    into = roomFor(length)
    filled = 0
  }

  /** The expected part is complete. */
  function complete(): Frame | null {
    if (part === 'lengths') {
      const headerLength = into.readUInt32BE(0)
      payloadLength = into.readUInt32BE(4)
      if (headerLength > mostHeader || payloadLength > mostPayload) throw new Error('a frame of impossible length')
      expect('header', headerLength)
      return null
    }
    if (part === 'header') {
      const read: unknown = JSON.parse(into.toString())
      if (!isRecord(read)) throw new Error('a frame without a header')
      header = read
      expect('payload', payloadLength)
      return null
    }
    const frame = { header, payload: into }
    expect('lengths', 8)
    return frame
  }

  return (bytes) => {
    const frames: Frame[] = []
    for (let at = 0; ;) {
      const count = bytes.copy(into, filled, at)
      at += count
      filled += count
      if (filled < into.length) return frames
      const frame = complete()
      if (frame) frames.push(frame)
    }
  }
}

const roomFor = (length: number): Buffer =>
  length < ownBytes ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length)

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN

export const sizeOf = (value: Readonly<Record<string, unknown>>): Size => ({
  cols: numberOf(value['cols']),
  rows: numberOf(value['rows']),
})

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
