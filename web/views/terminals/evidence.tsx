import { deciders, signalName, sureness, type Detection } from '../../terminal/terminal-text.ts'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'

const says: Readonly<Record<string, { words: string; look: string }>> = {
  waiting: { words: 'waiting', look: 'text-wait' },
  working: { words: 'running', look: 'text-clear' },
  nothing: { words: 'nothing', look: 'text-soft' },
}

/** The deciding signal and the other evidence. */
export const Evidence = ({ detection }: { detection: Detection }) => {
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
