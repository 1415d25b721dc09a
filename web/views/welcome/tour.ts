import type { Ask } from '../../../src/domain/ask/schema.ts'
import type { Message } from '../../../src/domain/message/schema.ts'

export type StepName = 'read' | 'write' | 'written' | 'command' | 'question'
export type StepState = 'todo' | 'now' | 'done'
export type TourStep = { name: StepName; state: StepState; ask: Ask | null }

/** Progress of the tour: what the practice agent did and asked, as steps. */
export function tourOf(messages: readonly Message[], asks: readonly Ask[]): TourStep[] {
  const first = (fits: (ask: Ask) => boolean) =>
    asks.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).find(fits) ?? null
  const write = first(isWrite)
  const command = first(isCommand)
  const question = first(({ kind }) => kind === 'elicitation' || kind === 'question')
  const isSettled = (ask: Ask | null) => ask !== null && ask.status !== 'open'
  const wroteIt = messages.some(
    ({ content }) => content.type === 'tool' && content.kind === 'edit' && isOver(content.status),
  )
  const done: Readonly<Record<StepName, boolean>> = {
    // The agent skips reading if there is nothing to read.
    read:
      write !== null ||
      messages.some(({ content }) => content.type === 'tool' && content.kind === 'read' && isOver(content.status)),
    write: isSettled(write),
    written: isSettled(write) && (wroteIt || command !== null),
    command: isSettled(command),
    question: isSettled(question),
  }
  const askOf: Readonly<Record<StepName, Ask | null>> = { read: null, write, written: write, command, question }
  const names: readonly StepName[] = ['read', 'write', 'written', 'command', 'question']
  const now = names.find((name) => !done[name])
  return names.map((name) => ({ name, state: done[name] ? 'done' : name === now ? 'now' : 'todo', ask: askOf[name] }))
}

const isOver = (status: string | undefined): boolean => status !== 'pending' && status !== 'in_progress'

const toolKind = ({ subject }: Ask): unknown =>
  subject.kind === 'permission' ? ((subject.toolCall ?? {}) as { kind?: unknown }).kind : null

const isWrite = (ask: Ask): boolean => ask.kind === 'diff' || toolKind(ask) === 'edit'
const isCommand = (ask: Ask): boolean => ask.kind === 'command' || toolKind(ask) === 'execute'

/** Whether a person approved it. */
export function isAllowed({ subject, answer }: Ask): boolean {
  if (answer?.outcome === 'approve') return true
  if (answer?.outcome !== 'select' || subject.kind !== 'permission') return false
  return subject.options.some(({ optionId, kind }) => optionId === answer.optionId && kind.startsWith('allow'))
}
