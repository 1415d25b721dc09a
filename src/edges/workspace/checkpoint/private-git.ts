import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { confinedProgram } from '../../../lib/confined-program.ts'
import { asVariables, gitWithoutOthers } from '../../../lib/git-config.ts'

/** Git failed or is not installed; the message is Git's own. */
export class GitFailed extends Error {}

/**
 * Our own repo for checkpoints. It has no work tree, no index and only this configuration: bytes go in and come out, so no
 * filter, attribute, hook or line end rule can change them.
 */
export type PrivateGit = {
  start(...args: string[]): ChildProcessWithoutNullStreams
  run(...args: string[]): Promise<string>
}

const settings: readonly (readonly [string, string])[] = [
  ['core.hooksPath', devNull],
  ['core.attributesFile', devNull],
  ['core.fsmonitor', 'false'],
  ['core.autocrlf', 'false'],
  ['core.compression', '1'],
  // Names that other systems do not allow are valid here.
  ['core.protectHFS', 'false'],
  ['core.protectNTFS', 'false'],
  ['core.bigFileThreshold', '16m'],
  // One pack per checkpoint instead of one file per content.
  ['fastimport.unpackLimit', '1'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
  ['safe.directory', '*'],
]

/** Enough for a workspace of any size. */
const longestMs = 60 * 60_000

export async function privateGit(gitDir: string): Promise<PrivateGit> {
  const program = await confinedProgram('git')
  if (program === null) throw new GitFailed('Git is not installed.')
  const env = { ...gitWithoutOthers, ...asVariables(settings), GIT_DIR: gitDir }
  const start = (...args: string[]) =>
    program.start({ args, cwd: gitDir, env, sees: { write: [gitDir] }, timeMs: longestMs })
  return {
    start,
    async run(...args) {
      const child = start(...args)
      child.stdin.end()
      const [pieces, ended] = [collect(child), endOf(child)]
      await ended
      return (await pieces).toString()
    },
  }
}

async function collect(child: ChildProcessWithoutNullStreams): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of child.stdout) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Resolves when the program has succeeded; otherwise throws Git's last message. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<void> {
  let words = ''
  child.stderr.on('data', (piece: Buffer) => void (words = `${words}${piece.toString()}`.slice(-4000)))
  const code = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (status, signal) => resolve(status ?? signal ?? 1))
  })
  if (code !== 0) throw new GitFailed(words.trim().split('\n').at(-1) || `git ended with ${code}`)
}

/** Creates the repo if there is none. */
export async function ensurePrivateGit(directory: string): Promise<PrivateGit> {
  const gitDir = join(directory, 'git')
  const git = await privateGit(gitDir)
  const isThere = await stat(join(gitDir, 'objects')).then(
    () => true,
    () => false,
  )
  if (isThere) return git
  await mkdir(gitDir, { recursive: true, mode: 0o700 })
  await git.run('init', '--quiet', '--bare', '--template=', '--object-format=sha1')
  return git
}

export const refOf = (checkpointId: string): string => `refs/checkpoints/${checkpointId}`
