import { useRef, useState, type KeyboardEvent } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { QueuePlace } from '../../../../src/domain/queue/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { usePermissions } from '../../../api/use-permissions.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { inputLook } from '../../../ui/field.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { errorText } from '../../../ui/states.tsx'
import { AgentChoices } from './agent-choices.tsx'
import { CommandHints } from './command-hints.tsx'
import { ContinueButton, RecoverButton } from './continue-dialog.tsx'
import { QueueList } from './queue-list.tsx'
import { sendingText, composerBlock } from './composer-state.ts'
import { useDraft } from './draft.ts'
import { turnOf } from './current-turn.ts'

type Props = { session: SessionDetail; mayAct: boolean; ownerName: string | null; sent: () => void }

/** The message field; if messages are not possible, the reason and what helps. */
export function Composer({ session, mayAct, ownerName, sent }: Props) {
  const { machine } = usePermissions()
  const silence = composerBlock(session, mayAct, ownerName, machine)
  return (
    <div className="group border-t border-line bg-panel px-3 py-2 md:px-6 md:py-3">
      <div className="mx-auto w-full max-w-4xl">
        <QueueList session={session} mayAct={mayAct} />
        {silence ? (
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-0 flex-1 basis-60 text-soft">{silence.why}</p>
            {silence.help === 'continue' && <ContinueButton session={session} />}
            {silence.help === 'recover' && <RecoverButton session={session} />}
          </div>
        ) : (
          <Words session={session} sent={sent} />
        )}
      </div>
    </div>
  )
}

function Words({ session, sent }: { session: SessionDetail; sent: () => void }) {
  const client = useClient()
  const [text, setText] = useDraft(session.id)
  const [failure, setFailure] = useState<unknown>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcuts({ i: () => field.current?.focus() })
  const busy = turnOf(session) !== null
  const hosted = session.protocolMode === 'acp'

  const send = async (when: QueuePlace) => {
    const words = text.trim()
    if (words === '') return
    setText('')
    setFailure(null)
    try {
      await client.promptSession({ params: { id: session.id }, body: { text: words, when } })
      sent()
    } catch (error) {
      // Keep the typed text, and what was typed since.
      setText(field.current?.value ? `${words}\n${field.current.value}` : words)
      setFailure(error)
    }
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void send(event.shiftKey && busy && hosted ? 'now' : 'next')
    }
    if (event.key === 'Escape') field.current?.blur()
  }
  const { message, hint } = failure === null ? { message: null, hint: null } : errorText(failure)
  return (
    <>
      <CommandHints
        session={session}
        text={text}
        pick={(words) => {
          setText(words)
          field.current?.focus()
        }}
      />
      <div className="flex items-end gap-2 md:block">
        <textarea
          ref={field}
          aria-label="Message the agent"
          placeholder={busy ? 'What’s next…' : 'Message the agent…'}
          rows={1}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKey}
          className={`${inputLook} field-sizing-content max-h-[40dvh] resize-none md:min-h-16!`}
        />
        <IconButton
          icon="send"
          label="Send"
          tone="main"
          className="md:hidden"
          disabled={text.trim() === ''}
          onClick={() => void send('next')}
        />
      </div>
      {message !== null && (
        <p role="alert" className="mt-1 text-sm text-stop">
          Not sent: {message} {hint}
        </p>
      )}
      {/* On a phone the rest appears while typing, to leave space for reading. */}
      <div
        className={`mt-2 flex-wrap items-center gap-2 md:flex ${text === '' ? 'hidden group-focus-within:flex' : 'flex'}`}
      >
        <AgentChoices session={session} />
        <p className="hidden min-w-0 flex-1 truncate text-right text-sm text-soft md:block">{sendingText(session)}</p>
        <span className="ml-auto flex items-center gap-1 md:ml-0">
          <Button
            tone="main"
            icon="send"
            className="hidden md:inline-flex"
            disabled={text.trim() === ''}
            onClick={() => void send('next')}
          >
            {busy && hosted ? 'Send after this turn' : 'Send'}
            <Kbd>Ctrl ↵</Kbd>
          </Button>
          <Menu
            trigger={<IconButton icon="more" label="More ways to send" tone="plain" disabled={text.trim() === ''} />}
            items={[
              {
                label: busy && hosted ? 'Send now and cancel the turn' : 'Send next',
                icon: 'alert',
                run: () => void send('now'),
              },
              { label: 'Send after this turn', icon: 'send', run: () => void send('next') },
              { label: 'Send when idle', icon: 'clock', run: () => void send('later') },
            ]}
          />
        </span>
      </div>
    </>
  )
}
