import { Link } from '@tanstack/react-router'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { AgentText } from '../../ui/markdown.tsx'
import { duration } from '../../ui/relative-time.ts'
import { clip, safeText } from '../../ui/safe-text.ts'
import { paths } from '../../app/paths.ts'
import { Code, Exact, ExactJson, SubjectPart, PlainText, Fold, Warning } from './body-parts.tsx'
import { AdminBody } from './admin-body.tsx'
import { Change, EditsChange } from './change.tsx'
import type { DiffReview } from '../../diff/line-comments.ts'
import { SinceReview } from './review/since-review.tsx'
import { useReview } from './review/use-review.ts'
import { useAskItem } from './use-inbox-item.ts'
import { readToolCall } from './tool-call.ts'

type AskBodyProps = {
  ask: Ask
  /** The lines around a terminal's prompt. */
  screen?: string | null
  /** The session's workspace; paths below it are shown relative. */
  root?: string | null
}

/** The whole subject of an ask: the diff, the command, the question. */
export function AskBody({ ask, screen, root }: AskBodyProps) {
  const item = useAskItem(ask.id)
  return (
    <div className="flex min-w-0 flex-col gap-4 [&>:not(.diff)]:max-w-4xl">
      {hasWords(ask) && <AgentText text={ask.description ?? ''} />}
      <SinceReview ask={ask}>
        <Subject
          ask={ask}
          screen={screen ?? item?.screen ?? null}
          root={root ?? item?.session?.workspaceRoot ?? null}
        />
      </SinceReview>
    </div>
  )
}

/** A terminal prompt already shows its danger. */
const hasWords = ({ description, subject }: Ask): boolean =>
  description !== null &&
  description.trim() !== '' &&
  !(subject.kind === 'terminal_prompt' && subject.dangerReason === description)

function Subject({ ask, screen, root }: { ask: Ask; screen: string | null; root: string | null }) {
  const { subject } = ask
  const review = useReview(ask)
  switch (subject.kind) {
    case 'diff':
      return subject.preview === undefined ? (
        <Change diff={subject.diff} label={subject.filePath} review={review} />
      ) : (
        <Change diff={subject.preview} whole={subject.diff} label={subject.filePath} review={review} />
      )
    case 'command':
      return (
        <SubjectPart title="Command" aside={<>in {<Code>{subject.cwd}</Code>}</>}>
          <Exact text={subject.command} />
          {subject.masked && <PlainText text="Secrets are hidden as [REDACTED]. Everything else is shown." />}
        </SubjectPart>
      )
    case 'tool':
      return (
        <SubjectPart title="Input" aside={<Code>{subject.tool}</Code>}>
          <ExactJson value={subject.input} />
        </SubjectPart>
      )
    case 'permission':
      return <PermissionBody subject={subject} title={ask.title} root={root} review={review} />
    case 'elicitation':
      return <AgentText text={subject.message} />
    case 'prompt':
      return (
        <>
          <AgentText text={subject.text} />
          <Facts facts={promptFacts(subject)} />
        </>
      )
    case 'wait':
      return subject.message === null ? (
        <PlainText text="The agent has stopped and waits for instructions." />
      ) : (
        <AgentText text={subject.message} />
      )
    case 'question':
      return <AgentText text={subject.question} />
    case 'packages':
    case 'mcp_server':
    case 'create_agent':
    case 'credential':
    case 'admin_command':
      return <AdminBody ask={ask} subject={subject} />
    case 'unknown_sender':
      return (
        <p>
          <Code>{subject.identity}</Code> wrote in <Code>{subject.chat}</Code> and is not known here. Approving lets
          them write there, and delivers what they wrote.
        </p>
      )
    case 'new_chat':
      return (
        <p>
          Someone wants to use an agent in <Code>{subject.name ?? subject.chat}</Code>
          {subject.name !== null && (
            <>
              {' '}
              (<Code>{subject.chat}</Code>)
            </>
          )}
          .
        </p>
      )
    case 'terminal_prompt':
      return <TerminalBody ask={ask} subject={subject} screen={screen} />
    default:
      return subject satisfies never
  }
}

function promptFacts({ elapsedSeconds, actionsTaken }: { elapsedSeconds: number | null; actionsTaken: number | null }) {
  return [
    ...(elapsedSeconds === null ? [] : [`${duration(elapsedSeconds)} running`]),
    ...(actionsTaken === null ? [] : [`${actionsTaken} ${actionsTaken === 1 ? 'action' : 'actions'} taken`]),
  ]
}

const Facts = ({ facts }: { facts: readonly string[] }) =>
  facts.length === 0 ? null : <p className="text-sm text-soft">{facts.join(' · ')}</p>

type PermissionSubject = Extract<Ask['subject'], { kind: 'permission' }>

const meanings: Readonly<Record<PermissionSubject['options'][number]['kind'], string>> = {
  allow_once: 'allows it once',
  allow_always: 'allows it and suggests a rule',
  reject_once: 'rejects it once',
  reject_always: 'rejects it and similar ones',
}

type PermissionProps = { subject: PermissionSubject; title: string; root: string | null; review: DiffReview }

/** The tool call an agent wants to make: its diff, its command, or its whole input. */
function PermissionBody({ subject, title, root, review }: PermissionProps) {
  const { tool, edits, command, cwd, locations, texts, input } = readToolCall(subject.toolCall, root)
  const isShown = edits.length > 0 || command !== null
  return (
    <>
      {command !== null && (
        <SubjectPart title="Command" aside={cwd !== null && <>in {<Code>{cwd}</Code>}</>}>
          <Exact text={command} />
        </SubjectPart>
      )}
      {texts.map((text, index) => (
        <AgentText key={index} text={text} />
      ))}
      {edits.length > 0 && <EditsChange edits={edits} label={title} review={review} />}
      {!isShown && input !== null && (
        <SubjectPart title="Input" aside={tool !== null && <Code>{tool}</Code>}>
          <ExactJson value={input} />
        </SubjectPart>
      )}
      {edits.length === 0 && locations.length > 0 && (
        <SubjectPart title="Files">
          <ul>
            {locations.map((path) => (
              <li key={path}>
                <Code>{path}</Code>
              </li>
            ))}
          </ul>
        </SubjectPart>
      )}
      {isShown && input !== null && (
        <Fold title="Everything the agent sent">
          <ExactJson value={input} />
        </Fold>
      )}
      <Fold title="Options of the agent">
        <ul className="flex flex-col gap-1 text-sm">
          {subject.options.map(({ optionId, name, kind }) => (
            <li key={optionId}>
              “{clip(safeText(name), 200)}” <span className="text-soft">{meanings[kind]}</span>
            </li>
          ))}
        </ul>
      </Fold>
    </>
  )
}

type PromptSubject = Extract<Ask['subject'], { kind: 'terminal_prompt' }>

const typeWords: Readonly<Record<PromptSubject['promptType'], string>> = {
  password: 'Password prompt',
  yes_no: 'Yes/no question',
  choice: 'Choice',
  path: 'Path prompt',
  text: 'Text prompt',
  command: 'Waiting for a command',
  unknown: 'Waiting for input',
}

/** A terminal prompt with the screen lines around it. */
function TerminalBody({ ask, subject, screen }: { ask: Ask; subject: PromptSubject; screen: string | null }) {
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
