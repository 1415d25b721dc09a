import { verbOf } from '../../../domain/ask/answer-words.ts'
import type { Answer } from '../../../domain/ask/answer.ts'
import type { AskId } from '../../../domain/ask/id.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { systemStanding, type Actor, type Standing } from '../../../domain/user/actor.ts'
import type { Fault } from '../../../lib/result.ts'
import type { Requester } from '../../use-cases/requester.ts'
import type { ChatCommandsDeps } from './call.ts'
import { isNotTheirs, ownersOnly } from '../owners-only.ts'
import { aloud, counted, oneLine, privately, refusal, type Reply } from './reply.ts'

export type GiveAnswer = {
  /** Null if the person may answer it like this; else what only they see. */
  refused(id: AskId, answer: Answer, by: Requester): Promise<{ readonly reply: Reply } | null>
  /** `typed`: in words, so everyone in the thread is told; after a button its card shows the answer. */
  give(id: AskId, answer: Answer, by: Requester, how: 'typed' | 'pressed'): Promise<Reply>
}

export function createGiveAnswer({ app, answerAsk }: ChatCommandsDeps): GiveAnswer {
  async function nameOf(actor: string | null, standing: Standing): Promise<string | null> {
    const [kind, id] = actor?.split(':') ?? []
    if (kind !== 'user') return null
    const names = await app.read.names(standing)
    return (names.ok && names.value.find((one) => one.id === id)?.displayName) || null
  }

  /** Why an answer was not taken, as people read it. */
  async function explained(id: AskId, fault: Fault, { standing }: Requester): Promise<Reply> {
    if (isNotTheirs(fault)) {
      const ask = await app.read.ask(systemStanding('chat'), id)
      return refusal(await ownersOnly(app, ask.ok ? ask.value.sessionId : null))
    }
    const ask = fault.kind === 'conflict' ? await app.read.ask(standing, id) : null
    if (!ask?.ok || ask.value.status === 'open') return refusal(fault)
    return privately(closedWords(ask.value, await nameOf(ask.value.answeredBy, standing)))
  }

  return {
    async refused(id, answer, by) {
      const checked = await app.check({ type: 'ask.answer', id, answer }, by.actor, by.once)
      return checked === null || checked === 'repeated' ? null : { reply: await explained(id, checked.fault, by) }
    },

    async give(id, answer, by, how) {
      const done = await answerAsk(id, answer, by)
      if (!done.ok) return explained(id, done.fault, by)
      const ask = await app.read.ask(by.standing, id)
      if (!ask.ok) return null
      if (ask.value.status === 'open') return privately(votesWords(ask.value))
      if (how === 'pressed') return null
      const name = await nameOf(actorText(by.actor), by.standing)
      return aloud(`${verbOf(ask.value)}${name === null ? '' : ` by ${oneLine(name)}`}: ${oneLine(ask.value.title)}`)
    },
  }
}

const actorText = (actor: Actor): string | null => (actor.kind === 'person' ? `user:${actor.userId}` : null)

function votesWords({ votes, needed }: Ask): string {
  const missing = needed - votes.length
  return `${votes.length} of ${needed} approvals. ${counted(missing, 'more approval')} needed.`
}

function closedWords(ask: Ask, name: string | null): string {
  switch (ask.status) {
    case 'expired':
      return 'This ask expired before it was answered.'
    case 'cancelled':
      return 'This ask was withdrawn.'
    case 'interrupted':
      return 'This ask was withdrawn: its session ended or was interrupted.'
    default: {
      const by = ask.automatic ? ' automatically' : name === null ? '' : ` by ${oneLine(name)}`
      return `Already answered${by}: ${verbOf(ask)}. Nothing was changed.`
    }
  }
}
