import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { contentsIn } from './job.ts'
import { endOf, GitFailed, privateGit, type PrivateGit } from './private-git.ts'
import type { TreeFile } from './tree.ts'

/** The contents of a checkpoint. Each file is read to its end before the next one. */
export type CheckpointContents = AsyncDisposable & {
  read(path: string, file: TreeFile): AsyncIterable<Uint8Array>
}

export class ContentMissing extends Error {}

export async function openContents(directory: string, restorePoint: string): Promise<CheckpointContents> {
  const commit = /^git:(?<commit>[0-9a-f]{40,64})$/.exec(restorePoint)?.groups?.['commit']
  return commit === undefined ? inPacks(directory) : inGit(await privateGit(join(directory, 'git')), commit)
}

function inPacks(directory: string): CheckpointContents {
  const packs = contentsIn(directory)
  return {
    async *read(path, { hash }) {
      const slot = packs.slot(hash)
      if (slot === null) throw new ContentMissing(`The contents of ${path} are no longer stored.`)
      if (slot.length === 0) return
      const { file, offset, length } = slot
      yield* createReadStream(file, { start: offset, end: offset + length - 1 })
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function inGit(git: PrivateGit, commit: string): Promise<CheckpointContents> {
  const blobs = await blobsOf(git, commit)
  let batch: BlobReader | null = null
  return {
    async *read(path) {
      const blob = blobs.get(path)
      if (blob === undefined) throw new ContentMissing(`The contents of ${path} are no longer stored.`)
      batch ??= openBlobReader(git)
      let isWhole = false
      try {
        yield* batch.read(blob)
        isWhole = true
      } finally {
        // An unfinished read leaves bytes that the next one would get.
        if (!isWhole) {
          await batch?.close()
          batch = null
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await batch?.close()
    },
  }
}

async function blobsOf(git: PrivateGit, commit: string): Promise<Map<string, string>> {
  const blobs = new Map<string, string>()
  const list = await git.run('ls-tree', '-r', '-z', '--full-tree', commit)
  for (const line of list.split('\0')) {
    const tab = line.indexOf('\t')
    const blob = line.slice(0, tab).split(' ')[2]
    if (tab > 0 && blob !== undefined) blobs.set(line.slice(tab + 1), blob)
  }
  return blobs
}

type BlobReader = { read(blob: string): AsyncIterable<Uint8Array>; close(): Promise<void> }

/** One Git process for all blobs: it answers each id with a header line and the bytes. */
function openBlobReader(git: PrivateGit): BlobReader {
  const child: ChildProcessWithoutNullStreams = git.start('cat-file', '--batch')
  const ended = endOf(child)
  ended.catch(() => {})
  child.stdin.on('error', () => {})
  const pieces = child.stdout[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  const more = async () => {
    const next = await pieces.next()
    if (next.done) {
      await ended
      throw new GitFailed('git cat-file ended early')
    }
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
  }
  const line = async (): Promise<string> => {
    while (!held.includes(10)) await more()
    const end = held.indexOf(10)
    const text = held.subarray(0, end).toString()
    held = held.subarray(end + 1)
    return text
  }
  return {
    async *read(blob) {
      child.stdin.write(`${blob}\n`)
      const head = await line()
      const size = /^[0-9a-f]+ blob (?<size>\d+)$/.exec(head)?.groups?.['size']
      if (size === undefined) throw new ContentMissing(`Git says: ${head}`)
      let left = Number(size)
      while (left > 0) {
        if (held.length === 0) await more()
        const piece = held.subarray(0, left)
        held = held.subarray(piece.length)
        left -= piece.length
        yield piece
      }
      while (held.length === 0) await more()
      held = held.subarray(1)
    },
    async close() {
      child.stdin.end()
      child.kill()
      await ended.catch(() => undefined)
    },
  }
}
