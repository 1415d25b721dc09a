import { readdir, readFile, readlink, stat } from 'node:fs/promises'

/** Files without a name take space until the last process lets go of them. No directory shows them. */
export type DeletedFiles = {
  readonly bytes: number
  /** Those that are mapped but not open: how large they are can't be seen. */
  readonly unknown: number
}

/**
 * What the processes of a container hold, found by the namespace of its first one.
 * @param devices of the watched directories, as `stat` numbers them: files in memory are under the limit of memory
 */
export async function deletedFiles(pid: number, devices: ReadonlySet<number>): Promise<DeletedFiles> {
  const space = await readlink(`/proc/${pid}/ns/pid`).catch(() => null)
  const open = new Map<number, number>()
  const mapped = new Set<number>()
  for (const other of space === null ? [] : await readdir('/proc')) {
    if (!/^\d+$/.test(other)) continue
    if ((await readlink(`/proc/${other}/ns/pid`).catch(() => null)) !== space) continue
    await addOpen(`/proc/${other}/fd`, devices, open)
    await addMapped(`/proc/${other}/maps`, devices, mapped)
  }
  return {
    bytes: [...open.values()].reduce((sum, bytes) => sum + bytes, 0),
    unknown: [...mapped].filter((inode) => !open.has(inode)).length,
  }
}

async function addOpen(folder: string, devices: ReadonlySet<number>, open: Map<number, number>): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(`${folder}/${name}`).catch(() => null)
    if (found?.isFile() === true && found.nlink === 0 && devices.has(found.dev)) open.set(found.ino, found.blocks * 512)
  }
}

async function addMapped(file: string, devices: ReadonlySet<number>, mapped: Set<number>): Promise<void> {
  const places = new Set([...devices].map(deviceInMaps))
  const maps = await readFile(file, 'latin1').catch(() => '')
  for (const [, device = '', inode] of maps.matchAll(/^\S+ \S+ \S+ (\S+) (\d+) +\/.* \(deleted\)$/gm))
    if (places.has(device)) mapped.add(Number(inode))
}

/** As `major:minor` in hexadecimal digits. */
export function deviceInMaps(device: number): string {
  const [major, minor] = [(device >>> 8) & 0xfff, (device & 0xff) | ((device >>> 12) & 0xfff00)]
  return [major, minor].map((part) => part.toString(16).padStart(2, '0')).join(':')
}
