import {
  askedBy,
  promptTypes,
  stateText,
  sureness,
  type TerminalView,
  deciders,
  signalName,
  type Detection,
} from '../../terminal/terminal-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { AnswerForm } from './answer-form.tsx'
import { Time } from '../../ui/time.tsx'

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
          <p className="text-soft">You can watch this terminal but not type into it.</p>
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
