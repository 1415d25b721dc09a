import type { Ask, AskId } from '../../../../domain/ask/schema.ts'
import { maskedRun, type Run } from '../../../../domain/ask/run.ts'
import { canonicalJson } from '../../../../lib/json.ts'
import { fail, ok, type Result } from '../../../../lib/result.ts'
import { requestNotFound, type ToolCall } from '../../calls/tool-call.ts'

type RunKind = Run['kind']
type RunOf<K extends RunKind> = Extract<Run, { kind: K }>

const mostHeld = 1000

/** Commands with secrets, kept until they are started. Their asks are stored without the secrets. */
export type HeldRuns = {
  hold(id: AskId, run: Run): void
  take(id: AskId): Run | null
  drop(id: AskId): void
}

export function createHeldRuns(): HeldRuns {
  const held = new Map<AskId, Run>()
  return {
    hold(id, run) {
      if (canonicalJson(maskedRun(run)) === canonicalJson(run)) return
      held.delete(id)
      held.set(id, run)
      for (const oldest of held.keys()) if (held.size > mostHeld) held.delete(oldest)
    },
    take: (id) => held.get(id) ?? null,
    drop: (id) => void held.delete(id),
  }
}

/** The stored run of an ask, without secrets. */
export async function runIn<K extends RunKind>(
  { app, link }: Pick<ToolCall, 'app' | 'link'>,
  ask: Ask,
  kinds: readonly K[],
): Promise<Result<RunOf<K>>> {
  const run = ask.subject.kind === 'command' ? ask.subject.run : undefined
  if (run !== undefined && isOf(run, kinds)) return ok(run)
  if (!isOldForm(ask)) return requestNotFound(ask.id)
  if (ask.status === 'open') await app.dispatch({ type: 'ask.cancel', id: ask.id, reason: madeBefore }, link.actor)
  return fail({ kind: 'conflict', code: 'ask_again', message: madeBefore, hint: 'Ask again: call without request_id.' })
}

/** The run to start, with its secrets. */
export function wholeRun<K extends RunKind>(ask: Ask, stored: RunOf<K>, held: HeldRuns): Result<RunOf<K>> {
  if (ask.subject.kind !== 'command' || ask.subject.masked !== true) return ok(stored)
  const run = held.take(ask.id)
  return run !== null && isOf(run, [stored.kind]) ? ok(run) : fail(secretGone)
}

const isOf = <K extends RunKind>(run: Run, kinds: readonly K[]): run is RunOf<K> =>
  (kinds as readonly RunKind[]).includes(run.kind)

// Earlier versions read the command from the description, which any caller could write.
const oldHeadings = [
  'Runs in a terminal that Signalbox watches.',
  'Typed at the command line of a terminal that Signalbox watches.',
]
const isOldForm = ({ origin, description }: Ask): boolean =>
  origin === 'mcp' && oldHeadings.some((heading) => description?.startsWith(heading) === true)

const madeBefore = 'This request was made by an earlier version of Signalbox, and nothing is started for it.'

const secretGone = {
  kind: 'conflict' as const,
  code: 'ask_again',
  message: 'The command contains secrets. They are kept only in memory, until they are used or the server restarts.',
  hint: 'Ask again: call without request_id, with the whole command.',
}
