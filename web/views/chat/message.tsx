import type { WebCard, WebMessage } from '../../../src/client/contract/web-chats.ts'
import { download } from '../../api/download.ts'
import { useAction } from '../../api/use-action.ts'
import { Button, type Tone } from '../../ui/button.tsx'
import { AgentText } from '../../ui/markdown.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { Exact } from '../asks/body-parts.tsx'

type Press = (messageId: string, action: string) => void

/** One message: of this person on the right, of the agent on the left. */
export function ShownMessage({
  message,
  groupId,
  press,
  pressing,
}: {
  message: WebMessage
  groupId: string
  press: Press
  pressing: boolean
}) {
  const { id, from, at, text, card, file, reactions, state, error } = message
  if (from === 'you')
    return (
      <li className="ml-auto max-w-[85%] min-w-0">
        <p className="rounded-2xl rounded-br-md bg-accent-soft px-3.5 py-2 break-words whitespace-pre-wrap">
          {safeText(text ?? '')}
        </p>
        <p className="mt-0.5 text-right text-xs text-soft">
          {state === 'waiting' && 'Sending… · '}
          <Time at={at} />
          {reactions.length > 0 && ` ${reactions.join(' ')}`}
        </p>
        {state === 'failed' && (
          <p className="text-right text-sm text-stop">Not delivered{error === null ? '' : `: ${safeText(error)}`}</p>
        )}
      </li>
    )
  return (
    <li className="mr-auto max-w-full min-w-0 md:max-w-[85%]">
      {card ? (
        <ShownCard card={card} press={(action) => press(id, action)} pressing={pressing} />
      ) : (
        <div className="rounded-2xl rounded-bl-md border border-line bg-panel px-3.5 py-2">
          {text !== null && <AgentText text={text} />}
          {file !== null && <FileButton groupId={groupId} messageId={id} name={file} />}
        </div>
      )}
      <p className="mt-0.5 text-xs text-soft">
        <Time at={at} />
        {reactions.length > 0 && ` ${reactions.join(' ')}`}
      </p>
    </li>
  )
}

function FileButton({ groupId, messageId, name }: { groupId: string; messageId: string; name: string }) {
  const get = useAction(() => download(`/api/web-chats/${groupId}/files/${messageId}`, name), {
    failed: 'The file could not be downloaded',
  })
  return (
    <Button icon="file" className="my-1 max-w-full" disabled={get.isPending} onClick={() => get.mutate(undefined)}>
      <span className="truncate">{safeText(name)}</span>
    </Button>
  )
}

const edges: Readonly<Record<WebCard['tone'], string>> = {
  waiting: 'border-l-wait',
  good: 'border-l-clear',
  bad: 'border-l-stop',
  quiet: 'border-l-line-strong',
}
const tones: Readonly<Record<WebCard['buttons'][number]['style'], Tone>> = {
  primary: 'main',
  danger: 'stop-plain',
  plain: 'plain',
}

function ShownCard({ card, press, pressing }: { card: WebCard; press: (action: string) => void; pressing: boolean }) {
  return (
    <section
      aria-label={safeText(card.title)}
      className={`flex min-w-0 flex-col gap-2 rounded-xl border border-l-4 border-line bg-panel p-3.5 ${edges[card.tone]}`}
    >
      <p className="font-semibold break-words">{safeText(card.title)}</p>
      {card.lines.map((line, at) =>
        line.kind === 'text' && line.text === card.title ? null : <CardLine key={at} line={line} />,
      )}
      {card.buttons.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {card.buttons.map(({ action, label, style }) => (
            <Button key={action} tone={tones[style]} disabled={pressing} onClick={() => press(action)}>
              {safeText(label)}
            </Button>
          ))}
        </div>
      )}
      {card.footer !== null && <p className="text-xs break-words text-soft">{safeText(card.footer)}</p>}
    </section>
  )
}

function CardLine({ line }: { line: WebCard['lines'][number] }) {
  if (line.kind === 'fields')
    return (
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 text-sm">
        {line.fields.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{safeText(name)}</dt>
            <dd className="break-words">{safeText(value)}</dd>
          </div>
        ))}
      </dl>
    )
  if (line.kind === 'code') return <Exact text={line.text} />
  if (line.kind === 'diff') return <PlainDiff text={line.text} />
  if (line.kind === 'quote')
    return (
      <blockquote className="border-l-2 border-line-strong pl-3">
        <AgentText text={line.text} />
      </blockquote>
    )
  return <AgentText text={line.text} />
}

const rowLook = (row: string): string =>
  /^(---|\+\+\+|@@)/.test(row)
    ? 'text-soft'
    : row.startsWith('+')
      ? 'bg-add-bg text-add'
      : row.startsWith('-')
        ? 'bg-del-bg text-del'
        : ''

/** A diff in a few colours; the page of the ask shows it in full. */
const PlainDiff = ({ text }: { text: string }) => (
  <pre tabIndex={0} className="max-h-80 overflow-auto rounded-lg bg-sunken py-2 font-mono text-sm">
    {safeText(text)
      .trimEnd()
      .split('\n')
      .map((row, at) => (
        <div key={at} className={`px-3 ${rowLook(row)}`}>
          {row || ' '}
        </div>
      ))}
  </pre>
)
