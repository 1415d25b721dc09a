import { createReadStream } from 'node:fs'

export type TarEntry = { readonly name: string; readonly mode: number } & (
  | { readonly kind: 'directory' }
  | { readonly kind: 'link'; readonly to: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly from: string; readonly size: number }
)

const block = 512

/** An uncompressed tar, owned by root and without times: the same files give the same bytes. */
export async function* tar(entries: Iterable<TarEntry>): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    const name = entry.kind === 'directory' ? `${entry.name}/` : entry.name
    const target = entry.kind === 'link' ? entry.to : ''
    // Longer names come first, as files of their own.
    if (Buffer.byteLength(name) > 100) yield* longName('L', name)
    if (Buffer.byteLength(target) > 100) yield* longName('K', target)
    const size = entry.kind === 'file' ? entry.size : entry.kind === 'text' ? Buffer.byteLength(entry.text) : 0
    const type = entry.kind === 'directory' ? '5' : entry.kind === 'link' ? '2' : '0'
    yield header({ name, mode: entry.mode, size, type, target })
    if (entry.kind === 'text') yield padded(Buffer.from(entry.text))
    if (entry.kind === 'file') yield* fileBytes(entry.from, size)
  }
  yield Buffer.alloc(2 * block)
}

async function* fileBytes(path: string, size: number): AsyncGenerator<Buffer> {
  let left = size
  if (size > 0)
    for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: 1 << 20 })) {
      const bytes = Buffer.from(chunk as Buffer)
      left -= bytes.length
      yield bytes
    }
  if (left !== 0) throw new Error(`${path} changed while it was read`)
  yield Buffer.alloc((block - (size % block)) % block)
}

function* longName(type: 'L' | 'K', text: string): Generator<Buffer> {
  const bytes = Buffer.from(`${text}\0`)
  yield header({ name: '././@LongLink', mode: 0o644, size: bytes.length, type, target: '' })
  yield padded(bytes)
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((block - (bytes.length % block)) % block)])

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`

function header(entry: { name: string; mode: number; size: number; type: string; target: string }): Buffer {
  const bytes = Buffer.alloc(block)
  bytes.write(entry.name, 0, 100)
  bytes.write(octal(entry.mode, 8), 100)
  bytes.write(octal(0, 8) + octal(0, 8), 108)
  bytes.write(octal(entry.size, 12) + octal(0, 12), 124)
  // The checksum is taken with blanks in its own field.
  bytes.write('        ', 148)
  bytes.write(entry.type, 156)
  bytes.write(entry.target, 157, 100)
  bytes.write('ustar  \0', 257)
  let sum = 0
  for (const byte of bytes) sum += byte
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}
