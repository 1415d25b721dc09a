import { useCallback, useState } from 'react'
import type { AttachmentInfo } from '../../../../src/domain/attachment/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { errorText } from '../../../ui/states.tsx'
import { base64Of, mostBytes, mostFiles, typeOf } from './file-data.ts'

/** A file beside the words of a prompt. `info` is null while it is uploaded. */
export type PromptFile = {
  readonly key: string
  readonly name: string
  readonly size: number
  readonly info: AttachmentInfo | null
  readonly error: string | null
}

export type PromptFiles = ReturnType<typeof usePromptFiles>

let keys = 0

/** Files that are pasted, dropped or chosen: uploaded at once, sent with the prompt. */
export function usePromptFiles() {
  const client = useClient()
  const [files, setFiles] = useState<readonly PromptFile[]>([])

  const change = useCallback(
    (key: string, more: Partial<PromptFile>) =>
      setFiles((before) => before.map((file) => (file.key === key ? { ...file, ...more } : file))),
    [],
  )
  const upload = async (key: string, file: File) => {
    try {
      if (file.size > mostBytes) throw new Error('Larger than 10 MB.')
      if (file.size === 0) throw new Error('The file is empty.')
      const body = { name: nameOf(file), mimeType: typeOf(file), data: await base64Of(file) }
      change(key, { info: await client.addAttachment({ body }) })
    } catch (error) {
      change(key, { error: error instanceof Error && !('code' in error) ? error.message : errorText(error).message })
    }
  }
  const add = (chosen: Iterable<File>) => {
    const added = [...chosen].slice(0, mostFiles - files.length).map((file) => {
      keys += 1
      return { file, key: `file ${keys}` }
    })
    setFiles((before) => [
      ...before,
      ...added.map(({ key, file }) => ({ key, name: nameOf(file), size: file.size, info: null, error: null })),
    ])
    for (const { key, file } of added) void upload(key, file)
  }
  return {
    files,
    add,
    remove: (key: string) => setFiles((before) => before.filter((file) => file.key !== key)),
    clear: () => setFiles([]),
    restore: (kept: readonly PromptFile[]) => setFiles((before) => [...kept, ...before]),
    /** Some are being uploaded, or could not be. */
    unready: files.some(({ info }) => info === null),
    /** For the body of a prompt. */
    body: files.length === 0 ? {} : { attachments: files.flatMap(({ info }) => (info ? [info.id] : [])) },
  }
}

/** A pasted picture is always called image.png. */
const nameOf = (file: File): string =>
  file.name.trim() === '' ? 'pasted' : file.name.replaceAll(/[/\\]/g, '_').slice(-200)
