import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { isAbsolute, join, normalize, relative } from 'node:path'

const mostRead = 1024 * 1024

/** Absolute, but with every `..` kept: the receiver must check it. */
export const pathIn = (cwd: string, path: string): string => (isAbsolute(path) ? path : `${cwd}/${path}`)

export const isInside = (cwd: string, path: string): boolean => {
  const way = relative(cwd, normalize(path))
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}

/** The text, or null if there is no such file. Never blocks on a pipe, and never returns part of a file. */
export async function readText(path: string): Promise<string | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const { size } = await file.stat()
    if (size > mostRead) throw new Error('it is larger than 1 MiB')
    return await file.readFile('utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** README.md or else the first file; null if the workspace has none. */
export async function fileToRead(cwd: string): Promise<string | null> {
  const entries = await readdir(cwd, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
  const readme = names.find((name) => /^readme(\.md)?$/i.test(name))
  const first = readme ?? names.toSorted()[0]
  return first === undefined ? null : join(cwd, first)
}
