import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient } from '../../../api/backend.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { fileWordIn } from './file-words.ts'

type Props = { sessionId: string; text: string; pick: (text: string, path: string) => void }

/** Files of the workspace, while the name of one is typed after an @ at the end of the message. */
export function FileHints({ sessionId, text, pick }: Props) {
  const client = useClient()
  const word = fileWordIn(text)
  const { data } = useQuery({
    queryKey: ['workspace-files', sessionId, word],
    queryFn: () => client.findWorkspaceFiles({ params: { id: sessionId }, query: { q: word ?? '' } }),
    enabled: word !== null,
    placeholderData: keepPreviousData,
    staleTime: 5000,
    retry: false,
  })
  const files = word === null ? [] : (data?.files ?? [])
  if (files.length === 0 || (files.length === 1 && files[0] === word)) return null
  return (
    <ul aria-label="Files" className="mb-2 max-h-60 overflow-y-auto rounded-lg border border-line bg-raised p-1">
      {files.map((path) => (
        <li key={path}>
          <button
            type="button"
            onClick={() => pick(`${text.slice(0, text.length - (word?.length ?? 0))}${path} `, path)}
            className="flex min-h-11 w-full items-center rounded-md px-2 text-left font-mono text-sm break-all hover:bg-sunken pointer-fine:min-h-8"
          >
            {safeText(path)}
          </button>
        </li>
      ))}
    </ul>
  )
}
