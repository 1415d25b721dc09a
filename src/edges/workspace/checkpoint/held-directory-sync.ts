import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type BigIntStats,
} from 'node:fs'
import { join } from 'node:path'
import { identityOf } from '../../../lib/directory-mark.ts'
import type { Hold } from '../held-directory.ts'

/** The workspace is no longer the directory it was when its session began. */
export class WorkspaceReplaced extends Error {}

/** A directory held while it is read, as in `held-directory.ts`, for the thread that may wait for the disk. */
export type HeldDirectory = {
  entry(name: string): string
  names(): string[]
  /** Throws if it is no longer a directory, or is a link. */
  child(name: string): HeldDirectory
  /** Whether it is still where it was opened. */
  isInPlace(): boolean
  /** Identifies the directory, whatever its name is now. */
  identity(): string
  status(): BigIntStats
  close(): void
}

const O_PATH = 0x20_0000
const directoryOnly = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW

export const holdDirectory = (hold: Hold, path: string): HeldDirectory =>
  hold === 'descriptor' ? byDescriptor(path, path) : byPath(path)

function byDescriptor(way: string, path: string): HeldDirectory {
  const fd = openSync(way, directoryOnly)
  const self = `/proc/self/fd/${fd}`
  return {
    entry: (name) => `${self}/${name}`,
    names: () => readdirSync(self),
    child: (name) => byDescriptor(`${self}/${name}`, join(path, name)),
    isInPlace: () => readlinkSync(self) === path,
    identity: () => identityOf(fstatSync(fd, { bigint: true })),
    status: () => fstatSync(fd, { bigint: true }),
    close: () => closeSync(fd),
  }
}

function byPath(path: string): HeldDirectory {
  const isInPlace = () => lstatSync(path).isDirectory() && realpathSync(path) === path
  if (!isInPlace()) throw Object.assign(new Error(`${path} was replaced.`), { code: 'ELOOP' })
  return {
    entry: (name) => join(path, name),
    names: () => readdirSync(path),
    child: (name) => byPath(join(path, name)),
    isInPlace,
    identity: () => identityOf(lstatSync(path, { bigint: true })),
    status: () => lstatSync(path, { bigint: true }),
    close: () => {},
  }
}
