import { memo, useState } from 'react'
import type { Message } from '../../../../src/domain/message/schema.ts'
import { Icon } from '../../../ui/icon.tsx'
import { AgentText, LongText } from '../../../ui/markdown.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { exactTime } from '../../../ui/relative-time.ts'
import { Time } from '../../../ui/time.tsx'
import { Plan } from './plan.tsx'
import { ToolCall } from './tool-call.tsx'

type Props = { message: Message; root: string }

/** One message by its type. Paths below `root` are shown relative to it. */
export const MessageEntry = memo(function MessageEntry({ message, root }: Props) {
  const { role, content, timestamp } = message
  switch (content.type) {
    case 'plan':
      return <Plan steps={content.steps} />
    case 'tool':
      return <ToolCall tool={content} root={root} />
    case 'thought':
      return <Thought text={content.text} growing={content.partial === true} />
    case 'text':
      if (role === 'user') return <TextMessage text={content.text} at={timestamp} />
      if (role === 'system') return <Note text={content.text} at={timestamp} level={content.level} />
      return (
        <SystemMessage text={content.text} growing={content.partial === true} level={content.level} at={timestamp} />
      )
    default:
      return content satisfies never
  }
})

const TextMessage = ({ text, at }: { text: string; at: string }) => (
  <div className="ml-auto max-w-[92%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 sm:max-w-[80%]">
    <span className="sr-only">A person said: </span>
    {text.length > 20_000 ? (
      <LongText text={safeText(text)} step={2000} />
    ) : (
      <p className="break-words whitespace-pre-wrap">{safeText(text)}</p>
    )}
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
