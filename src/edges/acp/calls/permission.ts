import type { ToolContent } from '../../../domain/message/schema.ts'
import type { Answer } from '../../../domain/ask/answer.ts'
import type { AskStatus } from '../../../domain/ask/schema.ts'
import type { AskSubject, PermissionOption } from '../../../domain/ask/subject.ts'
import type { Json } from '../../../lib/json.ts'
import { shellLine } from '../../../lib/shell-words.ts'
import { storable } from '../transcript/storable-text.ts'

type OptionKind = PermissionOption['kind']

/** The reply to the agent: one of its options, or cancelled. */
export type PermissionOutcome = { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' }

const kinds: readonly OptionKind[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always']

/** Drops options of an unknown kind: nobody could tell whether they allow. */
export const readOptions = (options: readonly { optionId: string; name: string; kind: string }[]): PermissionOption[] =>
  options.flatMap(({ optionId, name, kind: said }) => {
    const kind = kinds.find((known) => known === said)
    return kind ? [{ optionId, name, kind }] : []
  })

const ofKind = (options: readonly PermissionOption[], ...wanted: OptionKind[]): PermissionOption | undefined =>
  wanted.flatMap((kind) => options.filter((option) => option.kind === kind))[0]

/** If an id is used both to allow and to reject, the agent might take the wrong one. */
const unambiguous = (options: readonly PermissionOption[]): PermissionOption[] =>
  options.filter(({ optionId, kind }) => {
    const same = options.filter((other) => other.optionId === optionId)
    return same.every((other) => isAllowing(other.kind) === isAllowing(kind))
  })
const isAllowing = (kind: OptionKind): boolean => kind.startsWith('allow')

/** Never picks an option that allows. If the agent offers no rejection, the request is cancelled. */
const rejection = (sure: readonly PermissionOption[]): PermissionOutcome => {
  const option = ofKind(sure, 'reject_once', 'reject_always')
  return option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' }
}

export type PermissionVerdict = {
  outcome: PermissionOutcome
  allowed: boolean
  /** The person chose "always". The agent is told "once"; only people make rules. */
  always: boolean
}

/** The outcome of an ask, as one of the agent's options. */
export function verdictOf(
  offered: readonly PermissionOption[],
  ask: { status: AskStatus; answer: Answer | null },
): PermissionVerdict {
  const { status, answer } = ask
  const options = unambiguous(offered)
  if (status === 'expired') return { outcome: rejection(options), allowed: false, always: false }
  if (status === 'interrupted' || status === 'cancelled' || answer === null)
    return { outcome: { outcome: 'cancelled' }, allowed: false, always: false }
  const chosen =
    answer.outcome === 'select'
      ? options.find((option) => option.optionId === answer.optionId)
      : answer.outcome === 'approve'
        ? ofKind(options, 'allow_once')
        : undefined
  if (!chosen || !isAllowing(chosen.kind)) {
    const outcome: PermissionOutcome = chosen ? { outcome: 'selected', optionId: chosen.optionId } : rejection(options)
    return { outcome, allowed: false, always: false }
  }
  const always = chosen.kind === 'allow_always' || (answer.outcome === 'approve' && answer.always)
  // Told "always", an agent would not ask again, and its actions would go unseen.
  const told = chosen.kind === 'allow_always' ? (ofKind(options, 'allow_once') ?? chosen) : chosen
  return { outcome: { outcome: 'selected', optionId: told.optionId }, allowed: true, always }
}

/** The tool call as people see it, with what was sent before the request. */
export const permissionSubject = (tool: ToolContent, options: readonly PermissionOption[]): AskSubject => ({
  kind: 'permission',
  toolCall: tool as unknown as Json,
  options: [...options],
})

/** Some agents give only the name of their tool, which hides what it would run. */
function named({ kind = 'other', tool, title, args }: ToolContent): string | null {
  const command = (args as { command?: unknown } | null | undefined)?.command
  const line = Array.isArray(command) ? shellLine(command.map(String)) : command
  if (typeof line !== 'string' || line.trim() === '') return null
  // Goose, for example, does not say that its tool runs a command.
  if (kind === 'other') return title?.includes(line) ? null : `${title ?? tool}: ${line}`
  if (kind !== 'execute') return null
  const isName = title === undefined || title === tool || /^[\w-]{1,40}$/.test(title.trim())
  return isName ? line : null
}

const longestTitle = 500

export function permissionTitle(tool: ToolContent): string {
  const title = storable(named(tool) ?? tool.title ?? tool.tool)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return title === '' ? 'The agent asks for permission' : title.slice(0, longestTitle)
}
