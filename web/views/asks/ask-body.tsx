import type { Ask } from '../../../src/domain/ask/schema.ts'
import { AgentText } from '../../ui/markdown.tsx'
import { duration } from '../../ui/relative-time.ts'
import { Code, Exact, ExactJson, SubjectPart, PlainText } from './body-parts.tsx'
import { Change } from './change.tsx'
import { PermissionBody } from './permission-body.tsx'
import { TerminalBody } from './terminal-body.tsx'
import { useAskItem } from './use-inbox-item.ts'

type Body = {
  ask: Ask
  /** The lines around a terminal's prompt. */
  screen?: string | null
  /** The session's workspace; paths below it are shown relative. */
  root?: string | null
}

/** The whole subject of an ask: the diff, the command, the question. */
export function AskBody({ ask, screen, root }: Body) {
  const item = useAskItem(ask.id)
  return (
    <div className="flex min-w-0 flex-col gap-4 [&>:not(.diff)]:max-w-4xl">
      {hasWords(ask) && <AgentText text={ask.description ?? ''} />}
      <Subject ask={ask} screen={screen ?? item?.screen ?? null} root={root ?? item?.session?.workspaceRoot ?? null} />
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
  switch (subject.kind) {
    case 'diff':
      return subject.preview === undefined ? (
        <Change diff={subject.diff} label={subject.filePath} />
      ) : (
        <Change diff={subject.preview} whole={subject.diff} label={subject.filePath} />
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
      return <PermissionBody subject={subject} title={ask.title} root={root} />
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
      return (
        <>
          {subject.apt.length > 0 && <Packages by="apt" names={subject.apt} />}
          {subject.npm.length > 0 && <Packages by="npm" names={subject.npm} />}
          <Because reason={subject.reason} />
        </>
      )
    case 'mcp_server':
      return (
        <>
          <SubjectPart title="This server will be added as shown" aside={<Code>{subject.name}</Code>}>
            <ExactJson value={subject.server} />
          </SubjectPart>
          <Because reason={subject.reason} />
        </>
      )
    case 'create_agent':
      return (
        <>
          <SubjectPart title="Instructions" aside={<Code>{subject.name}</Code>}>
            <Exact text={subject.instructions} />
          </SubjectPart>
          <Because reason={subject.reason} />
        </>
      )
    case 'credential':
      return (
        <>
          <SubjectPart title="Credential">
            <p>
              <Code>{subject.name}</Code> for <Code>{subject.host}</Code>
            </p>
          </SubjectPart>
          <Because reason={subject.reason} />
        </>
      )
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

const Packages = ({ by, names }: { by: 'apt' | 'npm'; names: readonly string[] }) => (
  <SubjectPart title={`To be installed with ${by}`}>
    <Exact text={names.join('\n')} />
  </SubjectPart>
)

const Because = ({ reason }: { reason: string | null }) =>
  reason === null || reason.trim() === '' ? null : (
    <SubjectPart title="The agent’s reason">
      <PlainText text={reason} />
    </SubjectPart>
  )

function promptFacts({ elapsedSeconds, actionsTaken }: { elapsedSeconds: number | null; actionsTaken: number | null }) {
  return [
    ...(elapsedSeconds === null ? [] : [`${duration(elapsedSeconds)} running`]),
    ...(actionsTaken === null ? [] : [`${actionsTaken} ${actionsTaken === 1 ? 'action' : 'actions'} taken`]),
  ]
}

const Facts = ({ facts }: { facts: readonly string[] }) =>
  facts.length === 0 ? null : <p className="text-sm text-soft">{facts.join(' · ')}</p>
