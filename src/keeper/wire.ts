/** A frame: two lengths, a header in JSON, and bytes that nobody has to encode. */
export type Frame = { header: Record<string, unknown>; payload: Buffer }

/** Changed only where an older keeper could no longer serve a newer server; new operations and fields need no change. */
export const protocol = 1

/**
 * What a connection is for: the server's agents, its terminals, or a person who works terminals. Different words and not a
 * hello with more to it: a keeper that knows no terminals would take any hello for that of a new server.
 */
export const hellos = { agents: 'hello', terminals: 'hello-terminals', attach: 'hello-attach' } as const
export type Role = keyof typeof hellos

export const roleOf = (op: unknown): Role | null =>
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

/** Makes frames of whatever pieces the bytes come in. Throws on what can't be a frame: the connection is lost then. */
export function createDecoder(): (bytes: Buffer) => Frame[] {
  let pieces: Buffer[] = []
  let size = 0
  let lengths: { header: number; payload: number } | null = null

  function take(count: number): Buffer {
    const all = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size)
    pieces = count < all.length ? [all.subarray(count)] : []
    size -= count
    return all.subarray(0, count)
  }

  function next(): Frame | null {
    if (!lengths) {
      if (size < 8) return null
      const head = take(8)
      lengths = { header: head.readUInt32BE(0), payload: head.readUInt32BE(4) }
      if (lengths.header > mostHeader || lengths.payload > mostPayload) throw new Error('a frame of impossible length')
    }
    if (size < lengths.header + lengths.payload) return null
    const header: unknown = JSON.parse(take(lengths.header).toString())
    const payload = take(lengths.payload)
    lengths = null
    if (!isRecord(header)) throw new Error('a frame without a header')
    return { header, payload }
  }

  return (bytes) => {
    pieces.push(bytes)
    size += bytes.length
    const frames: Frame[] = []
    for (let frame = next(); frame; frame = next()) frames.push(frame)
    return frames
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
