import type { Ask } from '../../../src/domain/ask/schema.ts'
import { AgentText } from '../../ui/markdown.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Code, Exact, ExactJson, Fold, SubjectPart } from './body-parts.tsx'
import { EditsChange } from './change.tsx'
import { readToolCall } from './tool-call.ts'

type Subject = Extract<Ask['subject'], { kind: 'permission' }>

const meanings: Readonly<Record<Subject['options'][number]['kind'], string>> = {
  allow_once: 'allows it once',
  allow_always: 'allows it and suggests a rule',
  reject_once: 'rejects it once',
  reject_always: 'rejects it and similar ones',
}

/** The tool call an agent wants to make: its diff, its command, or its whole input. */
export function PermissionBody({ subject, title, root }: { subject: Subject; title: string; root: string | null }) {
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
      {edits.length > 0 && <EditsChange edits={edits} label={title} />}
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
