import { lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedQueue } from '../../lib/serial-queue.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { openGitFor } from './git/git.ts'

const name = 'signalbox-practice'

const readme = `# Practice

A small repository to try Signalbox with.
The practice agent works here. You see each change before it is written, and decide.

You can delete this directory at any time; it is created again when needed.
`

/** Creates the practice repo once, in the workspace root, or in the data directory if no root is set. */
export function createPracticeRepo(deps: {
  root: string | null
  dataDir: string
  locateRepo(path: string): Promise<Result<{ path: string }>>
}): () => Promise<Result<{ path: string }>> {
  const parent = deps.root ?? join(deps.dataDir, 'practice')
  const path = join(parent, name)
  const queue = createKeyedQueue()
  return () =>
    queue.run(path, async () => {
      const there = await lstat(path).catch(() => null)
      if (there === null) {
        const made = await make(parent, path, deps.root === null)
        if (!made.ok) return made
      }
      return deps.locateRepo(path)
    })
}

/** Made in a temporary directory, then renamed, so that it is always complete. */
async function make(parent: string, path: string, ours: boolean): Promise<Result<void>> {
  try {
    if (ours) await mkdir(parent, { recursive: true, mode: 0o700 })
    const aside = await mkdtemp(join(parent, `.${name}-`))
    try {
      await writeFile(join(aside, 'README.md'), readme)
      const git = await openGitFor(aside)
      if (!git.ok) return git
      const who = ['-c', 'user.name=Signalbox', '-c', 'user.email=practice@signalbox.invalid']
      const steps = [
        ['init', '--quiet', '--initial-branch=main'],
        ['add', 'README.md'],
        [...who, '-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message=A place to practise'],
      ]
      for (const step of steps) {
        const done = await git.value(...step)
        if (done.code !== 0) return cannot(path, done.stderr.trim())
      }
      await rename(aside, path)
      return ok(undefined)
    } finally {
      await rm(aside, { recursive: true, force: true })
    }
  } catch (error) {
    return cannot(path, error instanceof Error ? error.message : String(error))
  }
}

const cannot = (path: string, why: string) =>
  fail({
    kind: 'unavailable',
    code: 'practice_unavailable',
    message: `The practice repository ${path} could not be created: ${why}`,
    hint: 'Make sure the server can write there, then try again.',
  })
