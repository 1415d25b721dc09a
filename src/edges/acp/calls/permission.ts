import type { Answer } from '../../../domain/ask/answer.ts'
import type { AskStatus } from '../../../domain/ask/schema.ts'
import type { AskSubject } from '../../../domain/ask/subject.ts'
import type { Json } from '../../../lib/json.ts'
import type { ToolContent } from '../transcript/tool-call.ts'
import { storable } from '../transcript/words.ts'

export type PermissionOption = Extract<AskSubject, { kind: 'permission' }>['options'][number]
type Kind = PermissionOption['kind']

/** What an agent is told: one of its own options, or that nobody chose. */
export type PermissionOutcome = { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' }

const kinds: readonly Kind[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always']

/** Options as agents offer them. One of a kind we don't know is left out: nobody could say whether it allows. */
export const readOptions = (options: readonly { optionId: string; name: string; kind: string }[]): PermissionOption[] =>
  options.flatMap(({ optionId, name, kind: said }) => {
    const kind = kinds.find((known) => known === said)
    return kind ? [{ optionId, name, kind }] : []
  })

const ofKind = (options: readonly PermissionOption[], ...wanted: Kind[]): PermissionOption | undefined =>
  wanted.flatMap((kind) => options.filter((option) => option.kind === kind))[0]

/** Of two options with one id, one that allows and one that rejects, an agent may take the wrong one. */
const unambiguous = (options: readonly PermissionOption[]): PermissionOption[] =>
  options.filter(({ optionId, kind }) => {
    const same = options.filter((other) => other.optionId === optionId)
    return same.every((other) => isAllowing(other.kind) === isAllowing(kind))
  })
const isAllowing = (kind: Kind): boolean => kind.startsWith('allow')

/** A rejection never picks an option that allows; where the agent offers none to reject, the request is cancelled. */
const rejection = (sure: readonly PermissionOption[]): PermissionOutcome => {
  const option = ofKind(sure, 'reject_once', 'reject_always')
  return option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' }
}

export type Verdict = {
  outcome: PermissionOutcome
  allowed: boolean
  /** The person wants it so from now on; the agent is told "once", and a rule is for people to make. */
  always: boolean
}

/** What becomes of an ask, in the agent's own options. */
export function verdictOf(
  offered: readonly PermissionOption[],
  ask: { status: AskStatus; answer: Answer | null },
): Verdict {
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
  // An agent that was told "always" would not ask again, and nobody would see what it does.
  const told = chosen.kind === 'allow_always' ? (ofKind(options, 'allow_once') ?? chosen) : chosen
  return { outcome: { outcome: 'selected', optionId: told.optionId }, allowed: true, always }
}

/** The tool call as the person is to see it, with what came before the request. */
export const permissionSubject = (tool: ToolContent, options: readonly PermissionOption[]): AskSubject => ({
  kind: 'permission',
  toolCall: tool as unknown as Json,
  options: [...options],
})

const longestTitle = 500

export function permissionTitle(tool: ToolContent): string {
  const title = storable(tool.title ?? tool.tool)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return title === '' ? 'The agent asks for permission' : title.slice(0, longestTitle)
}
