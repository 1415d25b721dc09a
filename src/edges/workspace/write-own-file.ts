import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { DirectoryMark } from '../../lib/directory-mark.ts'
import { changed, createHeldPaths } from './held-paths.ts'
import { openFile, readAll } from './open-file.ts'
import { bestHold } from './held-directory.ts'
import { ifErrno } from './errno.ts'
import { isDirectory, outsideWorkspace, specialFile } from './faults.ts'
import { fill, makeParents, syncDirectory } from './replace-file.ts'
import { stagedName } from './staged-name.ts'
import { currentOf, type Trail } from './walk.ts'

const most = 1024 * 1024

/**
 * Writes a small file of Signalbox in a workspace, for a person: whole or not at all, not through a link, and only if the
 * current file has the hash `before` (null: no file).
 */
export function writeOwnFile(input: {
  root: string
  path: string
  content: string
  before: string | null
  refused(path: string): Promise<void>
}): Promise<Result<void>> {
  const { root, path, content, before } = input
  const paths = createHeldPaths({ root, hold: bestHold(), refused: input.refused })
  return paths.at(path, async (trail, found) => {
    if (found.path !== join(trail.root.real, path))
      return paths.refuse(join(root, path), 'a link on the way', outsideWorkspace(path))
    if (found.type === 'directory') return isDirectory(path)
    if (found.type === 'special') return specialFile(path)
    const name = await makeParents(trail, found)
    if (name === changed) return changed
    const now = found.type === 'file' ? await hashOf(trail, name, path) : ok(null)
    if (now === changed) return changed
    if (!now.ok) return now
    if (now.value !== before) return fail(notTheSame(path))
    return put(trail, name, Buffer.from(content))
  })
}

async function hashOf(trail: Trail, name: string, path: string): Promise<Result<string> | typeof changed> {
  const file = await openFile(trail, name, constants.O_RDONLY)
  if (file === changed) return changed
  if (file === 'special') return specialFile(path)
  await using _ = file.handle
  const read = await readAll(file, path, most)
  return read.ok ? ok(sha256(read.value.toString('utf8'))) : read
}

/**
 * Writes a new file in a workspace, for people who work there: whole or not at all, not through a link, and nothing that is
 * there is replaced. The same content again is no fault.
 */
export function writeNewFile(input: {
  root: string
  path: string
  content: Buffer
  mark: () => Promise<DirectoryMark | null>
  refused(path: string): Promise<void>
}): Promise<Result<void>> {
  const { root, path, content, mark } = input
  const paths = createHeldPaths({ root, hold: bestHold(), refused: input.refused, mark })
  return paths.at(path, async (trail, found) => {
    if (found.path !== join(trail.root.real, path))
      return paths.refuse(join(root, path), 'a link on the way', outsideWorkspace(path))
    if (found.type === 'directory') return isDirectory(path)
    if (found.type === 'special') return specialFile(path)
    const name = await makeParents(trail, found)
    if (name === changed) return changed
    if (found.type === 'missing') return put(trail, name, content)
    const file = await openFile(trail, name, constants.O_RDONLY)
    if (file === changed) return changed
    if (file === 'special') return specialFile(path)
    await using _ = file.handle
    const there = await readAll(file, path, content.length)
    return there.ok && there.value.equals(content) ? ok(undefined) : fail(isTaken(path))
  })
}

/** Readable for everyone, because everyone who works there uses it. */
async function put(trail: Trail, name: string, content: Buffer): Promise<Result<void> | typeof changed> {
  const current = currentOf(trail)
  const staged = stagedName(randomUUID())
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const handle = await open(current.entry(staged), flags, 0o600).catch(ifErrno(['ENOENT', 'ENOTDIR'], changed))
  if (handle === changed) return changed
  try {
    await handle.chmod(0o644)
    await fill(handle, content, null)
    const done = await rename(current.entry(staged), current.entry(name)).then(
      () => true,
      ifErrno(['EISDIR', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'], false),
    )
    if (!done) return changed
    await syncDirectory(current.entry('.'))
    return ok(undefined)
  } finally {
    await handle.close()
    await unlink(current.entry(staged)).catch(() => undefined)
  }
}

const isTaken = (path: string) => ({
  kind: 'conflict' as const,
  code: 'file_exists',
  message: `${path} exists already.`,
})

const notTheSame = (path: string) => ({
  kind: 'conflict' as const,
  code: 'policy_changed',
  message: `${path} has changed since you read it. Nothing was written.`,
  hint: 'Read it again, then repeat your change.',
})
