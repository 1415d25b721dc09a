import { useRef, type ClipboardEvent, type DragEvent } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { sizeText } from './file-data.ts'
import type { PromptFiles } from './use-prompt-files.ts'

/** The files that go along with the prompt. */
export function PromptFileList({ files, remove }: Pick<PromptFiles, 'files' | 'remove'>) {
  if (files.length === 0) return null
  return (
    <ul aria-label="Attached files" className="mb-2 flex flex-wrap gap-1.5">
      {files.map(({ key, name, size, info, error }) => (
        <li
          key={key}
          className={`flex max-w-full min-w-0 items-center gap-2 rounded-lg border bg-sunken pl-2.5 text-sm ${error === null ? 'border-line' : 'border-stop'}`}
        >
          <Icon name="file" className="size-4 text-soft" />
          <span className="min-w-0">
            <span className="block truncate">{safeText(name)}</span>
            <span role={error === null ? undefined : 'alert'} className={error === null ? 'text-soft' : 'text-stop'}>
              {error ?? (info === null ? 'Uploading…' : sizeText(size))}
            </span>
          </span>
          <IconButton icon="cross" label={`Remove ${safeText(name)}`} onClick={() => remove(key)} />
        </li>
      ))}
    </ul>
  )
}

export function AttachButton({ add }: Pick<PromptFiles, 'add'>) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? [])
          currentTarget.value = ''
        }}
      />
      <IconButton icon="clip" label="Attach files" onClick={() => field.current?.click()} />
    </>
  )
}

/** For the field that files are pasted into or dropped on. Text is pasted as always. */
export const takesFiles = (add: PromptFiles['add']) => ({
  onPaste(event: ClipboardEvent) {
    const { files } = event.clipboardData
    if (files.length === 0 || event.clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    add(files)
  },
  onDragOver(event: DragEvent) {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault()
  },
  onDrop(event: DragEvent) {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    add(event.dataTransfer.files)
  },
})
