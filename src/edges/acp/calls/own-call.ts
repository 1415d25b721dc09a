import { setTimeout as pause } from 'node:timers/promises'
import type { Automatic, CallDeps } from './asking.ts'
import { inputOf, ownToolOf, toolByTitle, type Ours, type Request } from './own-tool.ts'
import { verdictOf } from './permission.ts'

const momentMs = 1000
const lookEveryMs = 20

const approve = { outcome: 'approve' as const, always: false, reason: null }

/** What a permission for a tool of our own is answered with; undefined where a person is to say. */
export async function ownAnswer(deps: CallDeps, request: Request, signal: AbortSignal): Promise<Automatic | undefined> {
  const ours = oursOf(deps)
  if (ours === null || !verdictOf(request.options, { status: 'answered', answer: approve }).allowed) return undefined
  await deps.means.ownTools.load()
  const whole = await awaitInput(deps, request, ours, signal)
  return ownToolOf(whole, ours) === null ? undefined : { rule: 'own-tool', answer: approve }
}

function oursOf({ means, recorder }: CallDeps): Ours | null {
  const { server } = recorder.notes.own
  if (server === '') return null
  const { name } = (recorder.about.agentInfo ?? {}) as { name?: unknown }
  const { knows, accepts } = means.ownTools
  return { server, agent: typeof name === 'string' ? name : null, knows, accepts }
}

/** Some agents say what they call a tool with only a moment after they asked whether they may. */
async function awaitInput(deps: CallDeps, request: Request, ours: Ours, signal: AbortSignal): Promise<Request> {
  if (toolByTitle(request, ours) === null) return request
  const until = AbortSignal.any([signal, deps.closing, AbortSignal.timeout(momentMs)])
  const { toolCallId } = request.toolCall
  let seen = request
  while (inputOf(seen) === null && !until.aborted) {
    await pause(lookEveryMs)
    seen = { ...request, earlier: deps.transcript().toolOf(toolCallId) }
  }
  return seen
}
