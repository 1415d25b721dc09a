import { Link } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { paths } from '../../app/paths.ts'
import { safeText } from '../../ui/safe-text.ts'
import { Exact, SubjectPart, Warning } from './body-parts.tsx'

type Subject = Extract<Ask['subject'], { kind: 'terminal_prompt' }>

const typeWords: Readonly<Record<Subject['promptType'], string>> = {
  password: 'Password prompt',
  yes_no: 'Yes/no question',
  choice: 'Choice',
  path: 'Path prompt',
  text: 'Text prompt',
  command: 'Waiting for a command',
  unknown: 'Waiting for input',
}

/** A terminal prompt with the screen lines around it. */
export function TerminalBody({ ask, subject, screen }: { ask: Ask; subject: Subject; screen: string | null }) {
  const link = ask.sessionId !== null && (
    <Link to={paths.terminal} params={{ id: ask.sessionId }} className="text-link underline underline-offset-2">
      Open the terminal
    </Link>
  )
  const isOnScreen = screen?.includes(subject.promptText.trim()) ?? false
  return (
    <>
      {subject.dangerous && (
        <Warning>
          Dangerous: {safeText(subject.dangerReason ?? 'the answer may do damage')}. Read it before you answer.
        </Warning>
      )}
      {!isOnScreen && (
        <SubjectPart title={typeWords[subject.promptType]} aside={link}>
          <Exact text={subject.promptText} />
        </SubjectPart>
      )}
      {screen !== null && screen.trim() !== '' && (
        <SubjectPart title={isOnScreen ? typeWords[subject.promptType] : 'Screen'} {...(isOnScreen && { aside: link })}>
          <pre
            tabIndex={0}
            aria-label="Screen around it"
            className="overflow-x-auto rounded-lg border border-line bg-sunken px-3 py-2.5 font-mono text-sm leading-5"
          >
            {safeText(screen)}
          </pre>
        </SubjectPart>
      )}
    </>
  )
}
