import type * as z from 'zod'
import { agentGroupSlice } from '../domain/agent-group/slice.ts'
import { agentSlice } from '../domain/agent/slice.ts'
import { alertSlice } from '../domain/alert/slice.ts'
import { askSlice } from '../domain/ask/slice.ts'
import { attachmentSlice } from '../domain/attachment/slice.ts'
import { auditSlice } from '../domain/audit/slice.ts'
import { budgetSlice } from '../domain/budget/slice.ts'
import { credentialSlice } from '../domain/credential/slice.ts'
import { instanceSlice } from '../domain/chat-instance/slice.ts'
import { chatSlice } from '../domain/chat/slice.ts'
import { checkpointSlice } from '../domain/checkpoint/slice.ts'
import { messageSlice } from '../domain/message/slice.ts'
import { patternSlice } from '../domain/pattern/slice.ts'
import { policySlice } from '../domain/policy/slice.ts'
import { pushSlice } from '../domain/push/slice.ts'
import { queueSlice } from '../domain/queue/slice.ts'
import { scheduleSlice } from '../domain/schedule/slice.ts'
import { sessionSlice } from '../domain/session/slice.ts'
import { signInSlice } from '../domain/sign-in/slice.ts'
import type { DeadlineKind, Slice } from '../domain/slice/slice.ts'
import { templateSlice } from '../domain/template/slice.ts'
import { terminalSlice } from '../domain/terminal/slice.ts'
import { accessSlice } from '../domain/user/slice-access.ts'
import { userSlice } from '../domain/user/slice.ts'
import { repoSlice } from '../domain/workspace/slice.ts'
import { once, type OnDemand } from '../lib/lazy.ts'

/** Every family of commands. A new one needs its folder, a line here, and its rows in `authorize.ts`. */
const slices = [
  sessionSlice,
  messageSlice,
  queueSlice,
  attachmentSlice,
  agentSlice,
  alertSlice,
  askSlice,
  userSlice,
  accessSlice,
  signInSlice,
  repoSlice,
  policySlice,
  checkpointSlice,
  terminalSlice,
  patternSlice,
  pushSlice,
  agentGroupSlice,
  chatSlice,
  instanceSlice,
  scheduleSlice,
  templateSlice,
  budgetSlice,
  credentialSlice,
  auditSlice,
] as const

type PartsOf<S> = S extends Slice<infer C, infer Own, infer Made> ? { command: C; own: Own; made: Made } : never
type Each = PartsOf<(typeof slices)[number]>

/** Every command of the core. */
export type Command = Each['command']

/** Every change a command can make. */
export type Change = Each['own']

// Every change that a slice makes must belong to some slice, and every family of commands must have changes.
type FamilyOf<T> = T extends { type: `${infer Family}.${string}` } ? Family : never
true satisfies Each['made'] extends Change ? true : false
true satisfies FamilyOf<Command> extends FamilyOf<Change> ? true : false

type AnySlice = Slice<Command, Change, Change>

const familyOf = (type: string): string => type.slice(0, type.indexOf('.'))

// A slice only gets commands and changes of its own families.
const anySlices = slices as readonly unknown[] as readonly AnySlice[]

const byFamily = new Map<string, AnySlice>(
  anySlices.flatMap((slice) => Object.keys(slice.events).map((type) => [familyOf(type), slice] as const)),
)

export function sliceOf({ type }: { readonly type: (Command | Change)['type'] }): AnySlice {
  const slice = byFamily.get(familyOf(type))
  if (!slice) throw new Error(`no slice for ${type}`)
  return slice
}

/** The data schema of each logged change; `tables` for changes that are not logged. */
export const eventSchemas: ReadonlyMap<string, (() => z.ZodType) | 'tables'> = new Map(
  slices.flatMap(({ events }) =>
    Object.entries<OnDemand<z.ZodType> | 'tables'>(events).map(([type, schema]) => [
      type,
      schema === 'tables' ? schema : once(typeof schema === 'function' ? schema : () => schema),
    ]),
  ),
)

export type DeadlineKinds = Readonly<Record<string, DeadlineKind<Command, Change>>>

/** How each kind of deadline is handled when it is due. */
export const deadlineKinds: DeadlineKinds = Object.assign({}, ...anySlices.map(({ deadlines }) => deadlines ?? {}))
