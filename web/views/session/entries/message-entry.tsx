import { memo, useState } from 'react'
import { Link } from '@tanstack/react-router'
import type { Message, ToolContent } from '../../../../src/domain/message/schema.ts'
import { Icon } from '../../../ui/icon.tsx'
import { AgentText, LongText } from '../../../ui/markdown.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { exactTime } from '../../../ui/relative-time.ts'
import { Time } from '../../../ui/time.tsx'
import { paths } from '../../../app/paths.ts'
import { Badge, type Signal } from '../../../ui/badge.tsx'
import { EditsChange } from '../../asks/change.tsx'
import { SentFiles } from '../files/sent-files.tsx'
import { Plan } from './plan.tsx'
import { ClippedOutput } from './clipped-output.tsx'
import { commandOf, editsOf, iconOf, inputOf, outputsOf, placesOf, terminalsOf } from './tool-parts.ts'

type Props = {
  message: Message
  root: string
  /** The agent is gone: what it left unfinished stays so. */
  over: boolean
}

/** One message by its type. Paths below `root` are shown relative to it. */
export const MessageEntry = memo(function MessageEntry({ message, root, over }: Props) {
  const { role, content, timestamp } = message
  switch (content.type) {
    case 'plan':
      return <Plan steps={content.steps} />
    case 'tool':
      return <ToolCall tool={content} root={root} over={over} />
    case 'thought':
      return <Thought text={content.text} growing={content.partial === true && !over} />
    case 'text':
      if (role === 'user') return <TextMessage content={content} sessionId={message.sessionId} at={timestamp} />
      if (role === 'system') return <Note text={content.text} at={timestamp} level={content.level} />
      return (
        <SystemMessage
          text={content.text}
          growing={content.partial === true && !over}
          level={content.level}
          at={timestamp}
        />
      )
    default:
      return content satisfies never
  }
})

type TextContent = Extract<Message['content'], { type: 'text' }>
type TextMessageProps = { content: TextContent; sessionId: string; at: string }

const TextMessage = ({ content: { text, attachments = [], links = [] }, sessionId, at }: TextMessageProps) => (
  <div className="ml-auto max-w-[92%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 sm:max-w-[80%]">
    <span className="sr-only">A person said: </span>
    {text.length > 20_000 ? (
      <LongText text={safeText(text)} step={2000} />
    ) : (
      <p className="break-words whitespace-pre-wrap">{safeText(text)}</p>
    )}
    {attachments.length + links.length > 0 && <SentFiles {...{ sessionId, attachments, links }} />}
    <Time at={at} className="mt-0.5 block text-right text-xs text-soft" />
  </div>
)

type Level = 'info' | 'success' | 'warning' | 'error' | undefined

const bars: Readonly<Record<string, string>> = {
  success: 'border-l-4 border-clear pl-3',
  warning: 'border-l-4 border-wait pl-3',
  error: 'border-l-4 border-stop pl-3',
}

const SystemMessage = ({ text, growing, level, at }: { text: string; growing: boolean; level: Level; at: string }) => (
  <div className={bars[level ?? ''] ?? ''} title={growing ? undefined : exactTime(at)}>
    <span className="sr-only">The agent said: </span>
    <AgentText text={text} />
    {growing && (
      <span
        className="mt-1 block h-4 w-2 animate-pulse rounded-sm bg-accent in-[[data-waiting=true]]:invisible"
        aria-hidden="true"
      />
    )}
  </div>
)

const colours: Readonly<Record<string, string>> = { success: 'text-clear', warning: 'text-wait', error: 'text-stop' }

const Note = ({ text, at, level }: { text: string; at: string; level: Level }) => (
  <div className={`flex items-start gap-2 text-sm ${colours[level ?? ''] ?? 'text-soft'}`}>
    <Icon name={level === 'error' || level === 'warning' ? 'alert' : 'flag'} className="mt-0.5 size-4" />
    <div className="min-w-0 flex-1 break-words whitespace-pre-wrap">
      {text.length > 20_000 ? <LongText text={safeText(text)} step={2000} /> : safeText(text)}
    </div>
    <Time at={at} className="shrink-0 text-xs text-soft" />
  </div>
)

/** Folded by default. */
function Thought({ text, growing }: { text: string; growing: boolean }) {
  const [open, setOpen] = useState(false)
  const start = clip(safeText(text.slice(0, 200).replaceAll(/\s+/g, ' ').trim()), 120)
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group text-sm text-soft"
    >
      <summary className="flex min-h-11 list-none items-center gap-2 pointer-fine:min-h-7">
        <Icon name="wave" className="size-4" />
        <span className="shrink-0 font-medium">{growing ? 'Thinking…' : 'Thought'}</span>
        <span className="min-w-0 flex-1 truncate group-open:invisible">{start}</span>
        <Icon name="down" className="size-4 transition-transform group-open:rotate-180" />
      </summary>
      {open && (
        <div className="mt-1 border-l-2 border-line pl-3">
          <AgentText text={text} />
        </div>
      )}
    </details>
  )
}

const states: Readonly<Record<NonNullable<ToolContent['status']>, { label: string; signal: Signal } | null>> = {
  pending: { label: 'waiting', signal: 'wait' },
  in_progress: { label: 'running', signal: 'info' },
  completed: null,
  failed: { label: 'failed', signal: 'stop' },
  cancelled: { label: 'cancelled', signal: 'plain' },
  rejected: { label: 'rejected', signal: 'plain' },
}

const unfinished = { label: 'not finished', signal: 'plain' as const }

/** One tool call: a line that unfolds. File changes start unfolded. */
function ToolCall({ tool, root, over }: { tool: ToolContent; root: string; over: boolean }) {
  const edits = editsOf(tool)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const open = chosen ?? (edits.length > 0 && tool.status !== 'pending')
  const isLeft = over && (tool.status === 'pending' || tool.status === 'in_progress')
  const state = isLeft ? unfinished : tool.status && states[tool.status]
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
