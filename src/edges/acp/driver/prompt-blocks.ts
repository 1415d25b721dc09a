import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { attachmentPath } from '../../../app/attachment-path.ts'
import { isShownImage } from '../../../domain/attachment/about.ts'
import type { AttachmentInfo } from '../../../domain/attachment/schema.ts'
import type { QueueItem } from '../../../domain/queue/schema.ts'
import type { Json } from '../../../lib/json.ts'
import { isRecord } from '../../../lib/parse-json.ts'
import type { Result } from '../../../lib/result.ts'

/** A part of a prompt, as ACP has it. */
export type PromptBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; mimeType: string; data: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } }
  | { type: 'resource_link'; uri: string; name: string }

export type PromptFilesDeps = {
  /** Where the agent works. */
  readonly workspace: string
  /** In base64; undefined if it is gone. */
  content(id: AttachmentInfo['id']): Promise<string | undefined>
  /** A new file in the workspace. */
  save(path: string, bytes: Buffer): Promise<Result<void>>
}

/** What the agent says it takes in prompts. */
type Takes = { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean }

export function takenBy(capabilities: Json): Takes {
  const prompt = isRecord(capabilities) ? capabilities['promptCapabilities'] : null
  const has = (what: keyof Takes) => isRecord(prompt) && prompt[what] === true
  return { image: has('image'), audio: has('audio'), embeddedContext: has('embeddedContext') }
}

const longestText = 200_000
const utf8 = new TextDecoder('utf-8', { fatal: true })

function textOf(bytes: Buffer): string | null {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

const isText = (type: string): boolean =>
  /^text\/|[/+](json|xml|yaml|toml)$|^application\/(x-sh|javascript|sql)$/.test(type)

/**
 * The words of a prompt and what goes along with it. A file that the agent does not take in a prompt is saved in the
 * workspace, and its path is said. Made again after a crash, it is the same.
 */
export async function promptBlocks(
  { id, text, attachments = [], links = [] }: Pick<QueueItem, 'id' | 'text' | 'attachments' | 'links'>,
  capabilities: Json,
  deps: PromptFilesDeps,
): Promise<{ blocks: PromptBlock[]; notes: string[] }> {
  const takes = takenBy(capabilities)
  const blocks: PromptBlock[] = [{ type: 'text', text }]
  const notes: string[] = []
  for (const path of links)
    blocks.push({ type: 'resource_link', uri: pathToFileURL(join(deps.workspace, path)).href, name: path })
  for (const [index, file] of attachments.entries()) {
    const data = await deps.content(file.id)
    const made = data === undefined ? null : await blockOf(file, data, takes)
    if (made) blocks.push(made)
    else {
      const path = attachmentPath({ id }, index, file.name)
      const saved = data === undefined ? null : await deps.save(path, Buffer.from(data, 'base64'))
      const [told, note] = saved?.ok
        ? savedAs(file, path)
        : lost(file, saved?.ok === false ? saved.fault.message : null)
      blocks.push({ type: 'text', text: told })
      notes.push(note)
    }
  }
  return { blocks, notes }
}

async function blockOf(file: AttachmentInfo, data: string, takes: Takes): Promise<PromptBlock | null> {
  const { mimeType } = file
  if (takes.image && isShownImage(mimeType)) return { type: 'image', mimeType, data }
  if (takes.audio && mimeType.startsWith('audio/')) return { type: 'audio', mimeType, data }
  if (!takes.embeddedContext || !isText(mimeType) || file.size > longestText) return null
  const text = textOf(Buffer.from(data, 'base64'))
  const uri = `attachment:///${encodeURIComponent(file.name)}`
  return text === null ? null : { type: 'resource', resource: { uri, mimeType, text } }
}

const savedAs = ({ name, mimeType }: AttachmentInfo, path: string): [string, string] => [
  `The attached file ${name} (${mimeType}) is in the workspace: ${path}`,
  `The agent does not take ${mimeType} in a prompt, so ${name} was saved in the workspace: ${path}`,
]

const lost = ({ name }: AttachmentInfo, why: string | null): [string, string] => {
  const text = `The attached file ${name} could not be saved in the workspace. ${why ?? 'It is gone.'}`
  return [text, text]
}
