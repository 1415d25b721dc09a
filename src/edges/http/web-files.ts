import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type WebFile = { readonly packed: Uint8Array<ArrayBuffer>; readonly mark: string; readonly type: string }

const types = { 'terminal.js': 'text/javascript; charset=utf-8', 'terminal.css': 'text/css; charset=utf-8' }
export type WebName = keyof typeof types

const folder = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/web/' : './web/', import.meta.url)
const known = new Map<WebName, WebFile>()

/** What the build made for browsers; kept once it was read, as a later build may not fit this server. */
export async function webFile(name: WebName): Promise<WebFile | null> {
  const found = known.get(name)
  if (found) return found
  const bytes = await readFile(new URL(name, folder)).catch(() => null)
  if (!bytes) return null
  const mark = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
  const file = { packed: new Uint8Array(await promisify(gzip)(bytes)), mark, type: types[name] }
  known.set(name, file)
  return file
}

/** Packed, as every browser takes it; its address changes with its contents. */
export const webResponse = (file: WebFile): Response =>
  new Response(file.packed, {
    headers: {
      'content-type': file.type,
      'content-encoding': 'gzip',
      'cache-control': 'max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
  })
