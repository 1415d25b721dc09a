import { lstat, mkdir, readdir, realpath, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createKeyedQueue } from '../../lib/serial-queue.ts'
import { readPlainFile } from '../../lib/plain-file.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { bestHold } from './held-directory.ts'
import { createHeldPaths } from './held-paths.ts'
import { replaceFile } from './replace-file.ts'

/** Agents read one of these; people change them through Signalbox. */
const instructionFiles = ['CLAUDE.md', 'AGENTS.md']
const mostListed = 500
const longest = 1024 * 1024

export type GroupFolder = {
  /** With links resolved. */
  readonly path: string
  /** Names of directories in `skills`. */
  readonly skills: readonly string[]
  /** Names of what its agents keep in `memory`. */
  readonly memory: readonly string[]
}

/** Beside the data directory, which agents can't see. A folder stays when its agent group is removed. */
export const groupsOf = (dataDir: string): string => `${dataDir}.groups`

/** One folder for each agent group: its instructions, skills and memory. */
export function createGroupFolders(deps: { root: string; refused(path: string): Promise<void> }) {
  const queue = createKeyedQueue()

  /** Made if it is missing; a link or a file in place of a directory is refused, because an agent may have put it there. */
  async function directory(path: string): Promise<Failed | null> {
    const found = await lstat(path).catch(() => null)
    if (found === null) {
      await mkdir(path, { mode: 0o700 })
      return null
    }
    if (found.isDirectory()) return null
    await deps.refused(path)
    return notADirectory(path)
  }

  async function write(root: string, name: string, text: string): Promise<Result<void>> {
    const now = await readPlainFile(join(root, name), longest)
    if (now.kind === 'file' && now.bytes.toString('utf8') === text) return ok(undefined)
    const paths = createHeldPaths({ root, hold: bestHold(), refused: deps.refused })
    const written = await replaceFile(paths, name, Buffer.from(text))
    return written.ok ? ok(undefined) : written
  }

  async function make(folder: string, instructions: string): Promise<Result<GroupFolder>> {
    const path = join(deps.root, folder)
    await mkdir(dirname(deps.root), { recursive: true })
    for (const place of [deps.root, path, join(path, 'skills'), join(path, 'memory'), join(path, '.claude')]) {
      const refused = await directory(place)
      if (refused) return refused
    }
    // Some agents look for skills there.
    await symlink('../skills', join(path, '.claude', 'skills')).catch(() => undefined)
    for (const name of instructionFiles) {
      const written = await write(path, name, instructions)
      if (!written.ok) return written
    }
    return ok(await look(folder))
  }

  async function look(folder: string): Promise<GroupFolder> {
    const path = join(deps.root, folder)
    const skills = await readdir(join(path, 'skills'), { withFileTypes: true }).catch(() => [])
    const memory: string[] = await readdir(join(path, 'memory')).catch(() => [])
    return {
      path: await realpath(path).catch(() => path),
      skills: skills
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .toSorted()
        .slice(0, mostListed),
      memory: memory.toSorted().slice(0, mostListed),
    }
  }

  return {
    /** Makes the folder, and writes its instructions if they have changed. */
    prepare: (folder: string, instructions: string): Promise<Result<GroupFolder>> =>
      queue.run(folder, async () => {
        try {
          return await make(folder, instructions)
        } catch (error) {
          return unusable(join(deps.root, folder), error instanceof Error ? error.message : String(error))
        }
      }),
    look,
  }
}
export type GroupFolders = ReturnType<typeof createGroupFolders>

const notADirectory = (path: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'group_folder_damaged',
    message: `${path} is not a directory.`,
    hint: 'Remove it; it is made again when the next session of the agent group starts.',
  })

const unusable = (path: string, why: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'group_folder_unusable',
    message: `The folder of the agent group can't be used: ${why}.`,
    hint: `Make ${path} writable for the server.`,
  })
