import { createHash, hash as hashOnce } from 'node:crypto'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { endOf, GitFailed, refOf, type PrivateGit } from './private-git.ts'
import type { ContentSink } from './sink.ts'

export type GitFile = { path: string; mode: '100644' | '100755' | '120000'; blob: string }
export type GitSink = ContentSink & {
  /** Starts Git before it is needed, because that takes as long as reading what changed. */
  prepare(): void
  /** Makes a commit for the checkpoint from `from` and the changes since, and returns its id. */
  commit(input: {
    checkpointId: string
    /** Null: no parent. */
    from: string | null
    removed: readonly string[]
    set: readonly GitFile[]
    at: number
  }): Promise<string>
  abandon(): Promise<void>
}

const mostHeld = 1024 * 1024

/** Streams contents to `git fast-import` as they are read: one pass, one pack, unchanged bytes. */
export function createGitSink(git: PrivateGit): GitSink {
  let child: ChildProcessWithoutNullStreams | null = null
  let printed = ''
  let ended: Promise<void> | null = null
  let held: Buffer[] = []
  let heldBytes = 0

  let isUsed = false

  const running = (): ChildProcessWithoutNullStreams => {
    if (child !== null) return child
    child = git.start('fast-import', '--quiet', '--done', '--force', '--depth=0', '--date-format=raw')
    child.stdout.on('data', (piece: Buffer) => void (printed += piece.toString()))
    // The exit code tells the result; a broken pipe alone does not.
    child.stdin.on('error', () => {})
    ended = endOf(child)
    ended.catch(() => {})
    return child
  }
  const flush = async () => {
    const { stdin, exitCode } = running()
    isUsed = true
    const bytes = Buffer.concat(held)
    held = []
    heldBytes = 0
    const isGone = stdin.destroyed || exitCode !== null
    if (!isGone && stdin.write(bytes)) return
    const drained = new Promise<void>((resolve) => void stdin.once('drain', resolve))
    await (isGone ? ended : Promise.race([drained, ended]))
  }
  const write = async (...pieces: readonly (string | Buffer)[]) => {
    for (const piece of pieces) {
      // Copied, because the reader reuses its buffer.
      const bytes = Buffer.from(piece)
      held.push(bytes)
      heldBytes += bytes.length
    }
    if (heldBytes >= mostHeld) await flush()
  }

  return {
    prepare: () => void running(),
    isKept: ({ blob }) => blob !== '',
    async put(_hash, bytes) {
      await write(`blob\ndata ${bytes.length}\n`, bytes, '\n')
      return hashOnce('sha1', Buffer.concat([header(bytes.length), bytes]))
    },
    async begin(size) {
      const sha1 = createHash('sha1').update(header(size))
      let left = size
      const push = async (piece: Buffer) => {
        left -= piece.length
        sha1.update(piece)
        await write(piece)
      }
      await write(`blob\ndata ${size}\n`)
      return {
        push,
        async end(hash) {
          // The announced size must be sent, even if the file has shrunk meanwhile.
          const filler = Buffer.alloc(mostHeld)
          for (let missing = left; missing > 0; missing -= filler.length)
            await push(filler.subarray(0, Math.min(missing, filler.length)))
          await write('\n')
          return hash === null ? '' : sha1.digest('hex')
        },
      }
    },
    async commit({ checkpointId, from, removed, set, at }) {
      const message = `Checkpoint ${checkpointId}\n`
      await write(
        `commit ${refOf(checkpointId)}\nmark :1\ncommitter Signalbox <> ${Math.floor(at / 1000)} +0000\n`,
        `data ${Buffer.byteLength(message)}\n${message}\n${from === null ? '' : `from ${from}\n`}`,
      )
      // Deletions first: a directory may replace a file.
      for (const path of removed) await write(`D ${quoted(path)}\n`)
      for (const { path, mode, blob } of set) await write(`M ${mode} ${blob} ${quoted(path)}\n`)
      await write('get-mark :1\ndone\n')
      await flush()
      child?.stdin.end()
      await ended
      const commit = printed.trim()
      if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new GitFailed('git fast-import did not name the commit')
      return commit
    },
    async abandon() {
      if (child === null) return
      // Without input it ends at once, and leaves no half of a pack behind.
      if (isUsed) child.kill('SIGKILL')
      else child.stdin.end('done\n')
      await ended?.catch((error: unknown) => {
        if (!(error instanceof GitFailed)) throw error
      })
    },
  }
}

const header = (size: number): Buffer => Buffer.from(`blob ${size}\0`)

const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', '\\n')}"`
