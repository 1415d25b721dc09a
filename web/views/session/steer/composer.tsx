import { useRef, useState, type KeyboardEvent, useEffect } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { QueuePlace } from '../../../../src/domain/queue/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { usePermissions } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { useTextExpected } from '../../../app/typed-words.ts'
import { Button, ButtonLink, IconButton } from '../../../ui/button.tsx'
import { barAttribute } from '../../../ui/use-clear-of-bars.ts'
import { inputLook } from '../../../ui/field.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { errorText } from '../../../ui/states.tsx'
import { AgentChoices } from './agent-choices.tsx'
import { ContinueButton, RecoverButton } from './continue-dialog.tsx'
import { sendingText, composerBlock } from './composer-state.ts'
import { turnOf } from './current-turn.ts'
import { draftPrefix, tabStorage } from '../../../app/browser-storage.ts'
import { SlashHints, focusHints } from '../../templates/slash-hints.tsx'
import { TemplateButton } from '../../templates/template-picker.tsx'
import { AttachButton, PromptFileList, takesFiles } from '../files/prompt-file-list.tsx'
import { FileHints } from '../files/file-hints.tsx'
import { linksIn } from '../files/file-words.ts'
import { QueueList } from '../files/queue-list.tsx'
import { usePromptFiles } from '../files/use-prompt-files.ts'
import { commandsFor } from './agent-offers.ts'

type Props = { session: SessionDetail; mayAct: boolean; ownerName: string | null; sent: () => void }

/** The message field; if messages are not possible, the reason and what helps. */
export function Composer({ session, mayAct, ownerName, sent }: Props) {
  const { machine } = usePermissions()
  const silence = composerBlock(session, mayAct, ownerName, machine)
  return (
    <div {...barAttribute} className="group border-t border-line bg-panel px-3 py-2 md:px-6 md:py-3">
      <div className="mx-auto w-full max-w-4xl">
        <QueueList session={session} mayAct={mayAct} />
        {silence ? (
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-0 flex-1 basis-60 text-soft">{silence.why}</p>
            {silence.help === 'continue' && <ContinueButton session={session} />}
            {silence.help === 'start' && (
              <ButtonLink
                tone="main"
                icon="play"
                to={paths.newSession}
                search={{
                  ...(session.prompt !== null && { prompt: session.prompt }),
                  ...(session.repo && { repo: session.repo.id }),
                }}
              >
                Start an agent here
              </ButtonLink>
            )}
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
  const files = usePromptFiles()
  const chosen = useRef(new Set<string>())
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcuts({ i: () => field.current?.focus() })
  useTextExpected('message', field)
  const busy = turnOf(session) !== null
  const hosted = session.protocolMode === 'acp'

  const linksOf = (words: string) => {
    const links = linksIn(words, chosen.current)
    return hosted && links.length > 0 ? { links } : {}
  }
  const send = async (when: QueuePlace) => {
    const words = text.trim()
    if (words === '' || files.unready) return
    const attached = files.files
    setText('')
    files.clear()
    setFailure(null)
    try {
      await client.promptSession({
        params: { id: session.id },
        body: { text: words, when, ...files.body, ...linksOf(words) },
      })
      sent()
    } catch (error) {
      // Keep the typed text, and what was typed since.
      setText(field.current?.value ? `${words}\n${field.current.value}` : words)
      files.restore(attached)
      setFailure(error)
    }
  }
  const takes = hosted ? takesFiles(files.add) : {}
  const unfit = text.trim() === '' || files.unready
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void send(event.shiftKey && busy && hosted ? 'now' : 'next')
    }
    if (event.key === 'Escape') field.current?.blur()
    focusHints(event, text)
  }
  const { message, hint } = failure === null ? { message: null, hint: null } : errorText(failure)
  return (
    <>
      <SlashHints
        commands={commandsFor(session.agentState?.commands, text)}
        text={text}
        place={{ sessionId: session.id }}
        pick={(words) => {
          setText(words)
          field.current?.focus()
        }}
        leave={() => field.current?.focus()}
      />
      {hosted && (
        <FileHints
          sessionId={session.id}
          text={text}
          pick={(words, path) => {
            setText(words)
            chosen.current.add(path)
            field.current?.focus()
          }}
        />
      )}
      <PromptFileList files={files.files} remove={files.remove} />
      <div className="flex items-end gap-2 md:block">
        <textarea
          {...takes}
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
          disabled={unfit}
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
        {hosted && <AttachButton add={files.add} />}
        <TemplateButton
          place={{ sessionId: session.id }}
          pick={(words) => {
            setText(text.trim() === '' ? words : `${text.trimEnd()}\n\n${words}`)
            field.current?.focus()
          }}
        />
        <AgentChoices session={session} />
        <p className="hidden min-w-0 flex-1 truncate text-right text-sm text-soft md:block">{sendingText(session)}</p>
        <span className="ml-auto flex items-center gap-1 md:ml-0">
          <Button tone="main" icon="send" className="max-md:hidden" disabled={unfit} onClick={() => void send('next')}>
            {busy && hosted ? 'Send after this turn' : 'Send'}
            <Kbd>Ctrl ↵</Kbd>
          </Button>
          <Menu
            trigger={<IconButton icon="more" label="Send options" tone="plain" disabled={unfit} />}
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

const placeOf = (id: string) => `${draftPrefix}${id}`

/** The unsent text; it survives leaving the view. */
function useDraft(id: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => tabStorage.getItem(placeOf(id)) ?? '')
  useEffect(() => {
    if (text === '') tabStorage.removeItem(placeOf(id))
    else tabStorage.setItem(placeOf(id), text.slice(0, 100_000))
  }, [id, text])
  return [text, setText]
}
