import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

type Packed = { readonly bytes: Uint8Array<ArrayBuffer>; readonly encoding: 'br' | 'gzip' | null }
type WebFile = { readonly type: string; packed(accepted: string): Promise<Packed> }

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}
const alreadySmall = new Set(['.png', '.woff2'])
// Nearly as small as the smallest, at a tenth of the time: it is packed when it is first asked for.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const folder = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/web/' : './web/', import.meta.url)
const known = new Map<string, WebFile>()

/** What the build made for browsers; kept once it was read, as a later build may not fit this server. */
export async function webFile(name: string): Promise<WebFile | null> {
  const found = known.get(name)
  if (found) return found
  const type = types[extname(name)]
  if (type === undefined || !/^(?:assets\/)?[\w][\w.-]*$/.test(name)) return null
  const bytes = await readFile(new URL(name, folder)).catch(() => null)
  if (!bytes) return null
  const file = { type, packed: packer(new Uint8Array(bytes), alreadySmall.has(extname(name))) }
  known.set(name, file)
  return file
}

function packer(bytes: Uint8Array<ArrayBuffer>, isSmall: boolean): WebFile['packed'] {
  let br: Promise<Uint8Array<ArrayBuffer>> | undefined
  let gz: Promise<Uint8Array<ArrayBuffer>> | undefined
  return async (accepted) => {
    if (!isSmall && /\bbr\b/.test(accepted)) {
      br ??= promisify(brotliCompress)(bytes, brotli).then((packed) => new Uint8Array(packed))
      return { bytes: await br, encoding: 'br' }
    }
    if (!isSmall && /\bgzip\b/.test(accepted)) {
      gz ??= promisify(gzip)(bytes).then((packed) => new Uint8Array(packed))
      return { bytes: await gz, encoding: 'gzip' }
    }
    return { bytes, encoding: null }
  }
}

/** Names in assets/ change with their contents; all others are asked for anew each time. */
export async function webResponse(
  file: WebFile,
  accepted: string,
  options: { forever: boolean; headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const { bytes, encoding } = await file.packed(accepted)
  return new Response(bytes, {
    headers: {
      'content-type': file.type,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      'cache-control': options.forever ? 'max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      ...options.headers,
    },
  })
}
