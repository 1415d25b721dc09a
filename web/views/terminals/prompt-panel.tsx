import { ownersOnly } from '../../ui/denied-text.ts'
import { useEffect, useEffectEvent, useRef, useState, type SubmitEvent } from 'react'
import {
  askedBy,
  promptTypes,
  stateText,
  sureness,
  type TerminalView,
  deciders,
  signalName,
  type Detection,
  labelOf,
  inputOutcomes,
} from '../../terminal/terminal-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { useClient } from '../../api/backend.tsx'
import { ApiError } from '../../api/transport.ts'
import { Button } from '../../ui/button.tsx'
import { inputLook } from '../../ui/field.tsx'
import { errorText } from '../../ui/states.tsx'
import { tapped, type ArmedTap } from '../../terminal/double-tap.ts'
import { useTextExpected } from '../../app/typed-words.ts'
import { KeysRow } from './keys-row.tsx'

/** Below this confidence people should check themselves. */
const unsure = 0.7

/** The current prompt, the confidence, and the controls to answer it. */
export function PromptPanel({
  terminal,
  mayAct,
  refresh,
}: {
  terminal: TerminalView
  mayAct: boolean | null
  refresh: () => void
}) {
  const asked = askedBy(terminal)
  const { detection, command, state } = terminal
  const frame = asked === null ? 'border-line' : asked.isDangerous ? 'border-stop' : 'border-wait'
  return (
    <section id="panel" aria-label="Prompt" className={`min-w-0 rounded-xl border-2 bg-panel shadow-raised ${frame}`}>
      <div
        className={`rounded-t-[0.6rem] px-4 py-3 ${asked === null ? '' : asked.isDangerous ? 'bg-stop-soft' : 'bg-wait-soft'}`}
      >
        <p aria-live="polite" className={asked === null ? 'text-soft' : 'font-semibold'}>
          {stateText(terminal, asked)}
        </p>
        {asked && (
          <p
            id="question"
            tabIndex={0}
            className="mt-1 max-h-56 overflow-y-auto font-mono text-sm break-words whitespace-pre-wrap"
          >
            {safeText(asked.promptText)}
          </p>
        )}
        {asked?.isDangerous && (
          <p id="danger" role="alert" className="mt-2 flex gap-2 text-sm font-semibold text-stop">
            <Icon name="alert" />
            <span>Dangerous: {safeText(asked.dangerReason ?? 'the answer may do damage')}.</span>
          </p>
        )}
        {asked && (
          <p className="mt-2 flex flex-wrap gap-1.5">
            <Badge>{promptTypes[asked.promptType]}</Badge>
            <Badge signal={asked.confidence < unsure ? 'stop' : 'plain'}>
              {sureness(asked.confidence)}
              {asked.confidence < unsure && ': check it yourself'}
            </Badge>
          </p>
        )}
      </div>
      <div className="flex flex-col gap-2 px-4 pt-1 pb-3 empty:hidden">
        {command === null ? (
          <p className="text-soft">Read-only log.</p>
        ) : mayAct === false ? (
          <p className="text-soft">{ownersOnly(null, 'type into this terminal')}</p>
        ) : (
          mayAct && state === 'active' && <AnswerForm id={terminal.sessionId} asked={asked} refresh={refresh} />
        )}
        {detection && state === 'active' && <Evidence detection={detection} />}
      </div>
    </section>
  )
}

const says: Readonly<Record<string, { words: string; look: string }>> = {
  waiting: { words: 'waiting', look: 'text-wait' },
  working: { words: 'running', look: 'text-clear' },
  nothing: { words: 'nothing', look: 'text-soft' },
}

/** The deciding signal and the other evidence. */
const Evidence = ({ detection }: { detection: Detection }) => {
  const { waiting, confidence, decidedBy, evidence, matchedPattern, timestamp } = detection
  return (
    <details className="group text-sm">
      <summary className="min-h-11 content-center text-soft pointer-fine:min-h-8">
        Why we think it is {waiting ? 'waiting' : 'running'}
      </summary>
      <div className="flex flex-col gap-2 pb-1">
        <p>
          Decided by {deciders[decidedBy]}. {sureness(confidence)}, as of <Time at={timestamp} />.
        </p>
        <dl className="grid grid-cols-[max-content_1fr] gap-x-3 gap-y-1.5">
          {evidence.map(({ signal, says: said, detail }, index) => (
            <div key={index} className="contents">
              <dt className="text-soft">{signalName(signal)}</dt>
              <dd className="min-w-0 break-words">
                <span className={`font-medium ${says[said]?.look ?? ''}`}>{says[said]?.words ?? said}</span>
                {detail !== '' && <>: {safeText(detail)}</>}
              </dd>
            </div>
          ))}
        </dl>
        {matchedPattern !== '' && (
          <p className="min-w-0 text-soft">
            Matched: <code className="font-mono break-all text-text">{safeText(matchedPattern)}</code>
          </p>
        )}
      </div>
    </details>
  )
}

type AnswerFeedback = { words: string; look: string }
type PromptInput = { text: string; keys: string[] }

const unreached = 'Can’t reach the server. Your answer may not have been typed.'

/** Suggested answers, a text field and single keys, all for the current question. */
function AnswerForm({ id, asked, refresh }: { id: string; asked: Detection | null; refresh: () => void }) {
  const client = useClient()
  // Never in React state: it may be a secret.
  const field = useRef<HTMLInputElement>(null)
  const isSending = useRef(false)
  useTextExpected('program', field)
  const [said, setSaid] = useState<AnswerFeedback | null>(null)
  const [isBusy, setBusy] = useState(false)
  const confirm = useConfirm()
  const prompt = asked === null ? '' : `${asked.promptId} ${asked.secret} ${asked.suggestedInputs.join('\n')}`

  const isNew = useIsNew(prompt)

  const changed = useEffectEvent(() => {
    confirm.forget()
    const input = field.current
    if (!input || input.value === '') return
    // An answer belongs to the question it was written for.
    if (!isSending.current) setSaid({ words: 'The question changed; your answer was not sent.', look: 'text-soft' })
    input.value = ''
  })
  useEffect(() => changed(), [prompt])

  const send = async (input: PromptInput) => {
    isSending.current = true
    setBusy(true)
    setSaid({ words: 'Typing…', look: 'text-soft' })
    try {
      const { status } = await client.terminalInput({
        params: { id },
        body: {
          ...input,
          secret: asked?.secret ?? false,
          // A dangerous answer was tapped twice.
          confirmed: asked?.isDangerous ?? false,
          ...(typeof asked?.promptId === 'string' && { expectPrompt: asked.promptId }),
        },
      })
      const { words, isGood } = inputOutcomes[status]
      setSaid({ words, look: isGood ? 'text-clear' : 'text-stop' })
      if (isGood && field.current) field.current.value = ''
    } catch (error) {
      const { message, hint } = errorText(error)
      const words = error instanceof ApiError ? [message, hint].filter(Boolean).join(' ') : unreached
      setSaid({ words, look: 'text-stop' })
    } finally {
      isSending.current = false
      setBusy(false)
      refresh()
    }
  }
  const answer = (given: string) => void send(given === '' ? { text: '', keys: ['enter'] } : { text: given, keys: [] })
  const guarded = (key: string, act: () => void) => (asked?.isDangerous ? confirm.tap(key, act) : act())
  const again = (key: string, label: string) => (confirm.isArmed(key) ? `${label}: tap again` : label)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (asked && !isBusy) guarded('send', () => answer(field.current?.value ?? ''))
  }
  const isClosed = asked === null || isBusy
  return (
    <>
      {asked && asked.suggestedInputs.length > 0 && (
        <div id="choices" role="group" aria-label="Suggested answers" className="flex flex-wrap gap-2 pt-2">
          {asked.suggestedInputs.map((given, index) => {
            const key = `answer ${given}`
            return (
              <Button
                key={key}
                tone={confirm.isArmed(key) ? 'stop' : index === 0 && !asked.isDangerous ? 'main' : 'plain'}
                data-armed={confirm.isArmed(key) || undefined}
                disabled={isBusy || isNew}
                onClick={() => guarded(key, () => answer(given))}
                className="min-h-11! text-left break-words whitespace-normal!"
              >
                {again(key, labelOf(asked, given))}
              </Button>
            )
          })}
        </div>
      )}
      <form onSubmit={submit} autoComplete="off" className="flex flex-col gap-1 pt-1">
        <label htmlFor="text" className="text-sm font-medium">
          {asked?.secret ? 'Secret (not stored)' : 'Answer'}
        </label>
        <div className="flex gap-2">
          <input
            ref={field}
            id="text"
            type={asked?.secret ? 'password' : 'text'}
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            disabled={isClosed}
            placeholder={typeof asked?.default === 'string' ? `Enter: ${asked.default}` : ''}
            onInput={confirm.forget}
            className={`${inputLook} min-w-0 flex-1 font-mono disabled:opacity-60`}
          />
          <Button
            type="submit"
            tone={confirm.isArmed('send') ? 'stop' : 'main'}
            data-armed={confirm.isArmed('send') || undefined}
            disabled={isClosed}
          >
            {again('send', 'Send')}
          </Button>
        </div>
      </form>
      <p role="status" className={`min-h-6 text-sm font-medium ${said?.look ?? ''}`}>
        {said?.words}
      </p>
      <details id="keys" className="text-sm">
        <summary className="min-h-11 content-center text-soft pointer-fine:min-h-8">Keys</summary>
        <KeysRow
          disabled={isBusy || isNew}
          armed={(key) => confirm.isArmed(`key ${key}`)}
          press={(key) => {
            const act = () => void send({ text: '', keys: [key] })
            if (key === 'enter') guarded('key enter', act)
            else act()
          }}
        />
      </details>
    </>
  )
}

/** Nobody can read a question in this time. */
const unreadMs = 400

/** Whether a question has just taken the place of another: a tap that was meant for that one must not answer it. */
function useIsNew(prompt: string): boolean {
  const [read, setRead] = useState(prompt)
  useEffect(() => {
    const timer = setTimeout(() => setRead(prompt), unreadMs)
    return () => clearTimeout(timer)
  }, [prompt])
  return read !== prompt
}

/** A dangerous answer takes two taps; the button says so after the first. */
function useConfirm() {
  const [armed, setArmed] = useState<ArmedTap>(null)
  return {
    isArmed: (key: string) => armed?.key === key,
    tap(key: string, act: () => void): void {
      const next = tapped(armed, key, performance.now())
      setArmed(next.armed)
      if (next.acts) act()
    },
    forget: () => setArmed(null),
  }
}
