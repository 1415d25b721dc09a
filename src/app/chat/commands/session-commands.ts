import type { SessionId } from '../../../domain/session/id.ts'
import type { SessionCommand } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { fittingAsks, severalAsks } from '../open-asks.ts'
import { restOf, typed, type Call, type ChatCommandsDeps, type CommandHandler } from './call.ts'
import { shortId, type FindSession } from './find-session.ts'
import type { GiveAnswer } from './give-answer.ts'
import { oneLine, privately, refusal, type Reply } from './reply.ts'

type Move = Extract<SessionCommand, { reason: string | null }>['type']
const mostReason = 2000

/** Ending, pausing and continuing sessions. */
export function createSessionCommands(deps: ChatCommandsDeps, sessions: FindSession, { give }: GiveAnswer) {
  const { app } = deps

  async function nameOf({ by }: Call): Promise<string> {
    const me = await app.read.me(by.standing)
    return me.ok ? oneLine(me.value.displayName) : 'Somebody'
  }

  /** Said in a thread, such a word answers an ask that takes it. As a slash command it is always the command. */
  async function answers(call: Call): Promise<Reply | undefined> {
    const { said, by } = call
    if (said.messageId === null) return undefined
    const session = (await sessions.here(call)).find(({ status }) => !hasEnded(status))
    if (!session) return undefined
    const fitting = await fittingAsks(deps, session.id, said.text, by.actor)
    const [only, ...others] = fitting.filter(({ exact }) => exact)
    if (only === undefined) return undefined
    return others.length > 0 ? refusal(severalAsks(fitting)) : give(only.id, only.answer, by, 'typed')
  }

  const move =
    (type: Move, done: string): CommandHandler =>
    async (call) => {
      const answered = type === 'session.pause' ? undefined : await answers(call)
      if (answered !== undefined) return answered
      const found = await sessions.find(call, 1, 'text')
      if ('reply' in found) return found.reply
      const { id, status } = found.session
      if (type === 'session.cancel' && hasEnded(status))
        return privately(
          `Session already ended (${status}). Continue it with: ${typed(call, `continue ${shortId(id)}`)}`,
        )
      const reason = restOf(call, found.next).slice(0, mostReason) || null
      const moved = await app.dispatch({ type, id, reason }, call.by.actor, call.by.once)
      if (!moved.ok) return refusal(moved.fault)
      const why = reason === null ? '.' : `: ${oneLine(reason, 300)}`
      return sessions.told(call, id, `${await nameOf(call)} ${done} session ${shortId(id)}${why}`)
    }

  /** `continue` is for sessions that have ended; `restart` replaces one that runs. */
  const again =
    (isRestart: boolean): CommandHandler =>
    async (call) => {
      const answered = isRestart ? undefined : await answers(call)
      if (answered !== undefined) return answered
      const found = await sessions.find(call, 1, 'text')
      if ('reply' in found) return found.reply
      const { id, status } = found.session
      if (!isRestart && !hasEnded(status) && status !== 'interrupted')
        return privately(
          `Session ${shortId(id)} is still ${status}. To replace it: ${typed(call, `restart ${shortId(id)}`)}`,
        )
      const newId = derivedId<SessionId>(call.said.inboxId, 'session')
      const before = await app.read.session(call.by.standing, newId)
      const prompt = restOf(call, found.next) || undefined
      const next = before.ok ? { ok: true } : await deps.sessions.continue(id, { id: newId, prompt }, call.by)
      if ('fault' in next) return refusal(next.fault)
      return sessions.told(call, id, `Session ${shortId(id)} continues as ${shortId(newId)}.`)
    }

  return {
    stop: move('session.cancel', 'stopped'),
    pause: move('session.pause', 'paused'),
    resume: move('session.resume', 'resumed'),
    restart: again(true),
    continue: again(false),
  }
}
