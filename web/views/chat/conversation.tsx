import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react'
import type { WebChat } from '../../../src/client/contract/web-chats.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { draftPrefix, tabStorage } from '../../app/browser-storage.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { inputLook } from '../../ui/field.tsx'
import { barAttribute } from '../../ui/use-clear-of-bars.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { ShownMessage } from './message.tsx'
import { lookEveryMs } from './queries.ts'

export function Conversation({ chat }: { chat: WebChat }) {
  const client = useClient()
  const { agentGroupId, working } = chat
  const pages = useInfiniteQuery({
    queryKey: ['web-chats', agentGroupId],
    queryFn: ({ pageParam }) =>
      client.listWebMessages({ params: { agentGroupId }, query: pageParam === null ? {} : { before: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ earlier }) => earlier,
    refetchInterval: working ? lookEveryMs : false,
  })
  const press = useAction(
    ({ messageId, action }: { messageId: string; action: string }) =>
      client.pressWebButton({ params: { agentGroupId }, body: { messageId, action } }),
    { failed: 'Not sent', stale: [['web-chats']] },
  )
  const messages = pages.data?.pages.toReversed().flatMap((page) => page.messages) ?? []
  const newest = messages.at(-1)
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // In braces: in some browsers it returns a promise, which must not become the effect's clean-up.
    end.current?.scrollIntoView({ block: 'end' })
  }, [newest?.id, working])
  return (
    <section aria-label="Conversation" className="flex min-w-0 flex-1 flex-col">
      <div role="log" aria-label="Messages" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto p-4 md:p-6">
        {pages.isPending && <Loading />}
        {pages.isError && <Failed error={pages.error} retry={() => void pages.refetch()} />}
        {pages.hasNextPage && (
          <div className="mb-4 text-center">
            <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              Earlier messages
            </Button>
          </div>
        )}
        {pages.data && messages.length === 0 && (
          <p className="py-10 text-center text-soft">Write a message to start a session. Only you see this chat.</p>
        )}
        <ul className="mx-auto flex max-w-3xl flex-col gap-3">
          {messages.map((message) => (
            <ShownMessage
              key={message.id}
              message={message}
              groupId={agentGroupId}
              press={(messageId, action) => press.mutate({ messageId, action })}
              pressing={press.isPending}
            />
          ))}
        </ul>
        {working && (
          <p role="status" className="mx-auto mt-3 max-w-3xl animate-pulse text-sm text-soft">
            {messages.some(({ card }) => card && card.buttons.length > 0) ? 'Waiting for your answer' : 'Thinking…'}
          </p>
        )}
        <div ref={end} />
      </div>
      <Composer groupId={agentGroupId} />
    </section>
  )
}

function Composer({ groupId }: { groupId: WebChat['agentGroupId'] }) {
  const client = useClient()
  const place = `${draftPrefix}web-chat.${groupId}`
  const [text, setText] = useState(() => tabStorage.getItem(place) ?? '')
  const change = (next: string) => {
    setText(next)
    if (next === '') tabStorage.removeItem(place)
    else tabStorage.setItem(place, next.slice(0, 20_000))
  }
  // The same id when it is sent again: what arrived unnoticed counts once.
  const [id, setId] = useState(() => crypto.randomUUID())
  const send = useAction(
    (wanted: string) => client.sendWebMessage({ params: { agentGroupId: groupId }, body: { text: wanted, id } }),
    {
      failed: 'Not sent',
      stale: [['web-chats']],
      whenDone() {
        change('')
        setId(crypto.randomUUID())
      },
    },
  )
  const isReady = text.trim() !== '' && !send.isPending
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (isReady) send.mutate(text.trim())
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form onSubmit={submit} {...barAttribute} className="border-t border-line bg-panel p-3 md:px-6">
      <div className="mx-auto flex max-w-3xl items-end gap-2">
        <textarea
          aria-label="Message"
          placeholder="Message…"
          rows={1}
          maxLength={20_000}
          value={text}
          onChange={({ target }) => change(target.value)}
          onKeyDown={onKey}
          className={`${inputLook} field-sizing-content max-h-[40dvh] resize-none`}
        />
        <IconButton icon="send" label="Send" tone="main" type="submit" disabled={!isReady} />
      </div>
      <p className="mx-auto mt-1 hidden max-w-3xl text-xs text-soft md:block">
        Enter sends, Shift Enter starts a new line. For commands: /signalbox help
      </p>
    </form>
  )
}
