import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { paths } from '../../../app/paths.ts'
import { Badge, type Signal } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { EditsChange } from '../../asks/change.tsx'
import { ClippedOutput } from './clipped-output.tsx'
import {
  commandOf,
  editsOf,
  iconOf,
  inputOf,
  outputsOf,
  placesOf,
  terminalsOf,
  type ToolContent,
} from './tool-parts.ts'

const states: Readonly<Record<NonNullable<ToolContent['status']>, { label: string; signal: Signal } | null>> = {
  pending: { label: 'waiting', signal: 'wait' },
  in_progress: { label: 'running', signal: 'info' },
  completed: null,
  failed: { label: 'failed', signal: 'stop' },
  cancelled: { label: 'cancelled', signal: 'plain' },
}

/** One tool call: a line that unfolds. File changes start unfolded. */
export function ToolCall({ tool, root }: { tool: ToolContent; root: string }) {
  const edits = editsOf(tool)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const open = chosen ?? (edits.length > 0 && tool.status !== 'pending')
  const state = tool.status && states[tool.status]
  const title = clip(safeText(tool.title ?? tool.tool), 300)
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => currentTarget.open !== open && setChosen(currentTarget.open)}
      className="group rounded-lg border border-line bg-panel"
    >
      <summary className="flex min-h-11 list-none items-center gap-2.5 rounded-lg px-3 py-1.5 hover:bg-sunken pointer-fine:min-h-9">
        <Icon name={iconOf(tool)} className="size-4.5 text-soft" />
        <span className="min-w-0 flex-1 truncate text-[0.92rem] group-open:break-words group-open:whitespace-normal">
          {title}
        </span>
        {state && <Badge signal={state.signal}>{state.label}</Badge>}
        {tool.status === 'completed' && (
          <>
            <Icon name="check" className="size-4 text-clear" />
            <span className="sr-only">done</span>
          </>
        )}
        <Icon name="down" className="size-4 text-soft transition-transform group-open:rotate-180" />
      </summary>
      {open && <Inside tool={tool} title={title} root={root} />}
    </details>
  )
}

function Inside({ tool, title, root }: { tool: ToolContent; title: string; root: string }) {
  const edits = editsOf(tool, root)
  const command = commandOf(tool)
  const outputs = outputsOf(tool)
  const input = inputOf(tool)
  const places = placesOf(tool, root).filter((place) => !edits.some(({ path }) => place.startsWith(path)))
  const empty = edits.length + outputs.length + places.length === 0 && command === null && input === null
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3">
      {places.length > 0 && (
        <p className="text-sm break-all text-soft">{places.slice(0, 20).map(safeText).join(', ')}</p>
      )}
      {command !== null && <ClippedOutput text={`$ ${command}`} label="Command" />}
      {edits.length > 0 && <EditsChange edits={edits} label={title} />}
      {outputs.map((text, index) => (
        <ClippedOutput key={index} text={text} label="Output" />
      ))}
      {terminalsOf(tool).map((terminal) => (
        <Link key={terminal} to={paths.terminal} params={{ id: terminal }} className="text-link underline">
          Open terminal
        </Link>
      ))}
      {input !== null && (
        <details>
          <summary className="min-h-8 text-sm text-soft">Input</summary>
          <ClippedOutput text={input} label="Input" />
        </details>
      )}
      {empty && <p className="text-sm text-soft">No details available.</p>}
    </div>
  )
}
