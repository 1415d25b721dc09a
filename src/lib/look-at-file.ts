import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readPlainFile } from './plain-file.ts'

export type Looked = {
  /** The real path, with links resolved as far as the path exists. */
  readonly real: string
  readonly exists: boolean
  /** Null if there is no file, or it is not text. */
  readonly text: string | null
}

/** Files larger than this are not read for display. */
const longest = 4_000_000

export async function lookAtFile(path: string): Promise<Looked> {
  const real = await realPlace(path)
  const found = await stat(real).catch(() => null)
  if (!found?.isFile() || found.size > longest) return { real, exists: found !== null, text: null }
  // Opened without blocking: by now it may be a pipe.
  const file = await readPlainFile(real, longest)
  return { real, exists: true, text: file.kind === 'file' ? decoded(file.bytes) : null }
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The real path of a file that may not exist. */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(await realPlace(above), basename(path))
  }
}
