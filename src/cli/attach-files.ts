import { readFile, stat } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import type { Client } from '../client/client.ts'
import { mostAttachmentBytes, mostAttachments, type AttachmentId } from '../domain/attachment/schema.ts'
import { cleanLine } from './clean-text.ts'
import { wrongUsage } from './failure.ts'
import { readErrorText } from './file-error.ts'

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.html': 'text/html',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.zip': 'application/zip',
}
const texts =
  /^\.(txt|log|diff|patch|ya?ml|toml|ini|sh|sql|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift)$/

const typeOf = (path: string): string => {
  const ending = extname(path).toLowerCase()
  return types[ending] ?? (texts.test(ending) ? 'text/plain' : 'application/octet-stream')
}

/** Uploads files for a prompt. All are read first: nothing is sent if one can't be read. */
export async function attachFiles(client: Client, paths: readonly string[]): Promise<{ attachments?: AttachmentId[] }> {
  if (paths.length === 0) return {}
  if (paths.length > mostAttachments) throw wrongUsage(`At most ${mostAttachments} files can be attached.`)
  const files = []
  for (const path of paths) files.push({ path, data: await readIn(resolve(path), path) })
  const attachments: AttachmentId[] = []
  for (const { path, data } of files) {
    const body = { name: basename(path), mimeType: typeOf(path), data: data.toString('base64') }
    const { id } = await client.addAttachment({ body })
    attachments.push(id)
  }
  return { attachments }
}

async function readIn(path: string, shown: string): Promise<Buffer> {
  try {
    const { size } = await stat(path)
    if (size <= mostAttachmentBytes && size > 0) return await readFile(path)
    const why = size === 0 ? 'is empty' : `is larger than ${mostAttachmentBytes / 1_000_000} MB`
    throw wrongUsage(`${cleanLine(shown)} ${why}.`, 'Put it into the workspace and name its path instead.')
  } catch (error) {
    if (error instanceof Error && 'exit' in error) throw error
    throw wrongUsage(`Can't read ${cleanLine(shown)}: ${readErrorText(error)}.`)
  }
}
