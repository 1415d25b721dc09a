import { fail, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { UserId } from '../user/id.ts'
import { imageType } from './about.ts'
import {
  mostAttachmentBytes,
  mostPromptBytes,
  type AttachmentChange,
  type AttachmentCommand,
  type AttachmentId,
  type AttachmentInfo,
} from './schema.ts'

/** What one person may have uploaded and not sent yet. */
const mostUnsentBytes = 200_000_000

export type AttachmentFacts = {
  readonly owner: UserId | null
  readonly exists: boolean
  readonly unsentBytes: number
}

export function decideAttachment(command: AttachmentCommand, facts: AttachmentFacts): Result<AttachmentChange[]> {
  const { id, name, mimeType, data } = command
  if (facts.owner === null)
    return fail({ kind: 'forbidden', code: 'not_authorised', message: 'A file needs an owner.' })
  if (facts.exists) return fail({ kind: 'conflict', code: 'attachment_exists', message: `File ${id} already exists.` })
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > mostAttachmentBytes) return tooLarge(`${cleanName(name)} is`, mostAttachmentBytes)
  if (facts.unsentBytes + bytes.length > mostUnsentBytes)
    return fail({
      kind: 'limited',
      code: 'too_many_unsent_files',
      message: `You have uploaded ${mostUnsentBytes / 1_000_000} MB that were not sent.`,
      hint: 'Files that are not sent are deleted after a day.',
    })
  const known = imageType(bytes)
  // A file that is named an image but is not one would make the model refuse the whole prompt.
  const type =
    known ?? (mimeType.startsWith('image/') && !isOtherImage(mimeType) ? 'application/octet-stream' : mimeType)
  return ok([
    {
      type: 'attachment.added',
      data: {
        id,
        ownerUserId: facts.owner,
        name,
        mimeType: type.toLowerCase(),
        size: bytes.length,
        sha256: sha256(bytes),
      },
      body: bytes.toString('base64'),
    },
  ])
}

/** Images that browsers or models do not take: they are sent as files. */
const isOtherImage = (type: string): boolean => !/^image\/(png|jpeg|jpg|gif|webp)$/i.test(type)

const cleanName = (name: string): string => name.slice(0, 100)

const tooLarge = (what: string, most: number) =>
  fail({
    kind: 'too_large',
    code: 'attachment_too_large',
    message: `${what} larger than ${most / 1_000_000} MB.`,
    hint: 'Put it into the workspace and name its path instead.',
  })

/** The files of a prompt, if its sender uploaded all of them and they fit into one. */
export function filesOfPrompt(
  wanted: readonly AttachmentId[],
  found: readonly (AttachmentInfo & { readonly ownerUserId: UserId })[],
  sender: UserId | null,
): Result<AttachmentInfo[]> {
  const files: AttachmentInfo[] = []
  for (const id of new Set(wanted)) {
    const file = found.find((one) => one.id === id)
    // Same answer as for a file of somebody else.
    if (!file || file.ownerUserId !== sender)
      return fail({
        kind: 'not_found',
        code: 'attachment_not_found',
        message: `File ${id} not found.`,
        hint: 'Upload it again: files that are not sent are deleted after a day.',
      })
    files.push({ id: file.id, name: file.name, mimeType: file.mimeType, size: file.size })
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return bytes > mostPromptBytes ? tooLarge('The files of this prompt are together', mostPromptBytes) : ok(files)
}
