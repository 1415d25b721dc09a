import { useQuery } from '@tanstack/react-query'
import type { AttachmentInfo } from '../../../../src/domain/attachment/schema.ts'
import { isShownImage } from '../../../../src/domain/attachment/about.ts'
import { download } from '../../../api/download.ts'
import { keyedFetch } from '../../../api/keyed-fetch.ts'
import { useAction } from '../../../api/use-action.ts'
import { Icon } from '../../../ui/icon.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { dataAddress, sizeText } from './file-data.ts'

type Props = { sessionId: string; attachments: readonly AttachmentInfo[]; links: readonly string[] }

/** What a person sent along with their words. */
export const SentFiles = ({ sessionId, attachments, links }: Props) => (
  <ul aria-label="Attached files" className="mt-1.5 flex flex-wrap gap-2">
    {attachments.map((file) => (
      <li key={file.id} className="max-w-full">
        {isShownImage(file.mimeType) ? <SentImage {...{ sessionId, file }} /> : <SentFile {...{ sessionId, file }} />}
      </li>
    ))}
    {links.map((path) => (
      <li key={path} className="flex items-center gap-1 font-mono text-sm break-all">
        @{safeText(path)}
      </li>
    ))}
  </ul>
)

const pathOf = (sessionId: string, { id }: AttachmentInfo): string =>
  `/api/sessions/${encodeURIComponent(sessionId)}/attachments/${encodeURIComponent(id)}`

type One = { sessionId: string; file: AttachmentInfo }

/** Read with the login key, so it is no plain address. */
function SentImage({ sessionId, file }: One) {
  const { data, isError } = useQuery({
    queryKey: ['attachment', file.id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const response = await keyedFetch(pathOf(sessionId, file))
      if (!response.ok) throw new Error(`The server answered ${response.status}.`)
      const bytes = await response.blob()
      return dataAddress(new Blob([bytes], { type: file.mimeType }))
    },
  })
  if (isError) return <SentFile {...{ sessionId, file }} />
  return data === undefined ? (
    <span className="block h-24 w-32 rounded-lg bg-sunken" />
  ) : (
    <img src={data} alt={safeText(file.name)} className="max-h-60 max-w-full rounded-lg border border-line" />
  )
}

function SentFile({ sessionId, file }: One) {
  const save = useAction(() => download(pathOf(sessionId, file), file.name), { failed: 'Not downloaded' })
  return (
    <button
      type="button"
      onClick={() => save.mutate(undefined)}
      className="flex min-h-11 max-w-full items-center gap-2 rounded-lg border border-line bg-panel px-2.5 text-left text-sm hover:bg-sunken pointer-fine:min-h-9"
    >
      <Icon name="file" className="size-4 text-soft" />
      <span className="min-w-0 truncate">{safeText(file.name)}</span>
      <span className="shrink-0 text-soft">{sizeText(file.size)}</span>
    </button>
  )
}
