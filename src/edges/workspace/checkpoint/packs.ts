import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { ifErrno } from '../errno.ts'
import type { ContentSink } from './sink.ts'

export type PackSlot = { file: string; offset: number; length: number }

/**
 * Contents by SHA-256, each stored once. A checkpoint adds one pack and its index, so that thousands of contents need only
 * two syncs. A pack without an index was never finished and is ignored.
 */
export type Packs = {
  has(hash: string): boolean
  slot(hash: string): PackSlot | null
  /** Throws if there is no such content. */
  read(hash: string): string
  add(): PackWriter
}

export type PackWriter = {
  put(hash: string, bytes: Uint8Array): void
  /** A content in chunks; `keep` stores it under its hash, `drop` discards it. */
  begin(): { push(bytes: Uint8Array): void; keep(hash: string): void; drop(): void }
  finish(): void
  abandon(): void
}

export function openPacks(directory: string): Packs {
  const slots = new Map<string, PackSlot>()
  for (const name of readdirIfThere(directory))
    if (name.endsWith('.index')) readIndex(directory, name.slice(0, -'.index'.length), slots)
  return {
    has: (hash) => slots.has(hash),
    slot: (hash) => slots.get(hash) ?? null,
    read(hash) {
      const slot = slots.get(hash)
      if (!slot) throw Object.assign(new Error(`${hash} is not kept.`), { code: 'ENOENT' })
      return readSlot(slot).toString()
    },
    add: () => createWriter(directory, slots),
  }
}

function readIndex(directory: string, id: string, slots: Map<string, PackSlot>): void {
  const file = join(directory, `${id}.pack`)
  for (const line of readFileSync(join(directory, `${id}.index`), 'utf8').split('\n')) {
    const [hash, offset, length] = line.split(' ')
    if (hash !== undefined && offset !== undefined && length !== undefined)
      slots.set(hash, { file, offset: Number(offset), length: Number(length) })
  }
}

function readSlot({ file, offset, length }: PackSlot): Buffer {
  const fd = openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const read = readSync(fd, bytes, filled, length - filled, offset + filled)
      if (read === 0) throw Object.assign(new Error(`${file} is shorter than its index says.`), { code: 'EIO' })
      filled += read
    }
    return bytes
  } finally {
    closeSync(fd)
  }
}

const mostHeld = 1024 * 1024

function createWriter(directory: string, slots: Map<string, PackSlot>): PackWriter {
  const id = randomUUID()
  const path = (end: string) => join(directory, `${id}.${end}`)
  const added = new Map<string, PackSlot>()
  let held: Uint8Array[] = []
  let heldBytes = 0
  let offset = 0
  let fd: number | null = null

  const flush = () => {
    if (held.length === 0) return
    fd ??= create(directory, path('pack'))
    writeAll(fd, Buffer.concat(held))
    held = []
    heldBytes = 0
  }
  const append = (bytes: Uint8Array) => {
    held.push(Buffer.from(bytes))
    heldBytes += bytes.length
    offset += bytes.length
    if (heldBytes >= mostHeld) flush()
  }
  const name = (hash: string, from: number) => {
    if (!slots.has(hash)) added.set(hash, { file: path('pack'), offset: from, length: offset - from })
  }
  const end = () => {
    if (fd !== null) closeSync(fd)
    fd = null
  }
  return {
    put(hash, bytes) {
      if (slots.has(hash) || added.has(hash)) return
      const from = offset
      append(bytes)
      name(hash, from)
    },
    begin() {
      const from = offset
      // Dropped bytes stay in the pack without a name: this is too rare to rewrite it.
      return { push: append, keep: (hash) => name(hash, from), drop: () => {} }
    },
    finish() {
      if (added.size === 0) return this.abandon()
      flush()
      fd ??= create(directory, path('pack'))
      fsyncSync(fd)
      end()
      const lines = [...added].map(([hash, slot]) => `${hash} ${slot.offset} ${slot.length}\n`)
      writeDurably(directory, `${id}.index`, lines.join(''))
      for (const [hash, slot] of added) slots.set(hash, slot)
    },
    abandon() {
      held = []
      if (fd === null) return
      end()
      unlinkSync(path('pack'))
    },
  }
}

function create(directory: string, path: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return openSync(path, 'wx', 0o600)
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
}

/** Whole or not at all, and synced when it returns. */
export function writeDurably(directory: string, name: string, text: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const beside = join(directory, `${name}.${randomUUID()}.tmp`)
  const fd = openSync(beside, 'wx', 0o600)
  try {
    writeAll(fd, Buffer.from(text))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(beside, join(directory, name))
  syncDirectory(directory)
}

/** Not every file system supports this. */
function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } catch {
    // Nothing more can be done there.
  } finally {
    closeSync(fd)
  }
}

function readdirIfThere(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    return ifErrno(['ENOENT'], [])(error)
  }
}

/** Stores contents in packs, for workspaces without Git. */
export const createPackSink = (packs: Packs, writer: PackWriter): ContentSink => ({
  isKept: ({ hash }) => packs.has(hash),
  put(hash, bytes) {
    writer.put(hash, bytes)
    return Promise.resolve('')
  },
  begin() {
    const content = writer.begin()
    return Promise.resolve({
      push: (piece) => Promise.resolve(content.push(piece)),
      end(hash) {
        if (hash === null) content.drop()
        else content.keep(hash)
        return Promise.resolve('')
      },
    })
  },
})
