import { constants, existsSync } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { identityOf } from '../../lib/directory-mark.ts'

/** A directory held open, so that swapping parts of its path has no effect. */
export type Directory = {
  /** A path for one entry of this directory; valid until it is closed. */
  entry(name: string): string
  /** Where it is now. */
  where(): Promise<string>
  /** Identifies the directory, whatever its name is now. */
  identity(): Promise<string>
  /** Opens a subdirectory, never through a link. Throws ENOTDIR, ELOOP or ENOENT if there is none. */
  child(name: string): Promise<Directory>
  /** Where a file opened through `entry` is now. */
  locate(file: FileHandle, name: string): Promise<string>
  close(): Promise<void>
}

/** How directories are held: by descriptor if /proc offers paths for descriptors, otherwise by path, checked each time. */
export type Hold = 'descriptor' | 'path'

export const bestHold = (): Hold =>
  process.platform === 'linux' && existsSync('/proc/self/fd') ? 'descriptor' : 'path'

export const openDirectory = (hold: Hold, path: string): Promise<Directory> =>
  hold === 'descriptor' ? byDescriptor(path) : byPath(path)

// Linux: needs no permission to list the directory. Node has no constant for it.
const O_PATH = 0x20_0000
const directoryOnly = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW

async function byDescriptor(path: string): Promise<Directory> {
  const handle = await open(path, directoryOnly)
  const self = `/proc/self/fd/${handle.fd}`
  return {
    entry: (name) => `${self}/${name}`,
    where: () => readlink(self),
    identity: async () => identityOf(await handle.stat({ bigint: true })),
    child: (name) => byDescriptor(`${self}/${name}`),
    locate: (file) => readlink(`/proc/self/fd/${file.fd}`),
    close: () => handle.close(),
  }
}

// A swap between check and use is possible here, so opened files are checked again before use.
async function byPath(path: string): Promise<Directory> {
  if (!(await lstat(path)).isDirectory() || (await realpath(path)) !== path) throw swapped(path)
  return {
    entry: (name) => join(path, name),
    where: () => realpath(path),
    identity: async () => identityOf(await lstat(path, { bigint: true })),
    child: (name) => byPath(join(path, name)),
    async locate(file, name) {
      const [opened, named] = await Promise.all([file.stat(), lstat(join(path, name))])
      if (opened.ino !== named.ino || opened.dev !== named.dev) throw swapped(join(path, name))
      return realpath(join(path, name))
    },
    close: () => Promise.resolve(),
  }
}

const swapped = (path: string) => Object.assign(new Error(`${path} was replaced.`), { code: 'ELOOP' })
