import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SessionDetail, SessionFile } from '../../../../src/client/contract/sessions.ts'
import { useClient } from '../../../api/backend.tsx'
import { askQuery } from '../../../api/queries.ts'
import { Badge, type Signal } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { AskBody } from '../../asks/ask-body.tsx'
import { AskOutcome } from '../../asks/ask-outcome.tsx'
import { EditsChange } from '../../asks/change.tsx'
import { editsOf } from '../entries/tool-parts.ts'

const changes: Readonly<Record<SessionFile['change'], Signal>> = {
  added: 'clear',
  modified: 'info',
  deleted: 'stop',
  renamed: 'wait',
}

/** Files changed by the session, each once with its last change. */
export function FilesTab({ session }: { session: SessionDetail }) {
  const client = useClient()
  const { id } = session
  const list = useQuery({ queryKey: ['files', id], queryFn: () => client.sessionFiles({ params: { id } }) })
  if (list.isPending) return <Loading />
  if (list.isError) return <Failed error={list.error} retry={() => void list.refetch()} />
  const { files } = list.data
  if (files.length === 0)
    return (
      <Empty icon="file" title="No files changed yet">
        <p>All files the agent changes are listed here, with diffs and undo.</p>
      </Empty>
    )
  const sum = (name: 'added' | 'removed') => files.reduce((total, file) => total + file[name], 0)
  return (
    <>
      <p className="text-sm text-soft">
        {files.length === 1 ? '1 file' : `${files.length} files`},{' '}
        <Counts added={sum('added')} removed={sum('removed')} />
      </p>
      <Card>
        <ul aria-label="Files" className="divide-y divide-line">
          {files.map((file) => (
            <FileRow key={file.path} file={file} session={session} />
          ))}
        </ul>
      </Card>
    </>
  )
}

const Counts = ({ added, removed }: { added: number; removed: number }) => (
  <span className="tabular-nums">
    <span className="text-add">+{added}</span> <span className="text-del">−{removed}</span>
    <span className="sr-only"> lines added and removed</span>
  </span>
)

function FileRow({ file, session }: { file: SessionFile; session: SessionDetail }) {
  const [open, setOpen] = useState(false)
  const { path, change, added, removed, askId, at, undone } = file
  return (
    <li>
      <details className="group" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex min-h-12 list-none flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-sunken">
          <code
            className={`min-w-0 flex-1 basis-56 font-mono text-sm break-all ${undone ? 'text-soft line-through' : ''}`}
          >
            {safeText(path)}
          </code>
          <Badge signal={undone ? 'plain' : changes[change]}>{undone ? 'undone' : change}</Badge>
          <span className="text-sm">
            <Counts added={added} removed={removed} />
          </span>
          <Time at={at} className="w-20 text-right text-sm text-soft" />
          <Icon name="down" className="size-4 text-soft transition-transform group-open:rotate-180" />
        </summary>
        {open && (
          <div className="border-t border-line p-3 md:p-4">
            {askId === null ? <OwnChange session={session} path={path} /> : <AskedChange id={askId} />}
          </div>
        )}
      </details>
    </li>
  )
}

/** The ask that approved it, by whom, and undo. */
function AskedChange({ id }: { id: string }) {
  const ask = useQuery(askQuery(useClient(), id))
  if (ask.isPending) return <Loading />
  if (ask.isError) return <Failed error={ask.error} retry={() => void ask.refetch()} />
  return (
    <div className="flex flex-col gap-3">
      <AskOutcome ask={ask.data} />
      <AskBody ask={ask.data} />
    </div>
  )
}

/** A change made without asking, from its tool call. */
function OwnChange({ session: { id, workspaceRoot }, path }: { session: SessionDetail; path: string }) {
  const client = useClient()
  const found = useQuery({
    // No event marks this as stale: it reads all messages.
    queryKey: ['edits', id, path],
    queryFn: async () => {
      const messages = await client.listMessages({ params: { id } })
      const isIt = (name: string) => name === path || name === `${workspaceRoot}/${path}`
      const calls = messages.map(({ content }) =>
        content.type === 'tool' ? editsOf(content).filter((edit) => isIt(edit.path)) : [],
      )
      return calls.findLast((edits) => edits.length > 0) ?? []
    },
  })
  if (found.isPending) return <Loading />
  if (found.isError) return <Failed error={found.error} retry={() => void found.refetch()} />
  if (found.data.length === 0) return <p className="text-soft">The agent did not show what it changed.</p>
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-soft">
        The agent did this without asking, so it can't be undone here. You can restore an earlier checkpoint.
      </p>
      <EditsChange edits={found.data} label={path} />
    </div>
  )
}
