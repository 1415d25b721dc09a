import { openSessionsOf, sessionsInThread } from '../../../domain/chat/store-sessions.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { stateWords } from '../../../domain/session/phase.ts'
import { hasEnded, takesSlot } from '../../../domain/session/status.ts'
import { editDistance } from '../../../lib/edit-distance.ts'
import { isPicked, pickAction } from '../card-actions.ts'
import { restOf, typed, type Call, type ChatCommandsDeps } from './call.ts'
import { aloud, oneLine, privately, type Reply } from './reply.ts'
import { meantBy } from './words.ts'

/** A session as lists show it. */
export type ShownSession = Session & {
  readonly title: string
  readonly repoName: string | null
  readonly ownerName: string
}

/** The session that a command is about, and the word after its name; or what to say instead. */
export type Found = { readonly session: Session; readonly next: number } | { readonly reply: Reply }

export type FindSession = {
  /** Reads the session from the word at `at`, if there is one. `text`: words after it are for the command. */
  find(call: Call, at: number, takes: 'text' | 'nothing'): Promise<Found>
  /** The sessions of this thread that the person may see. */
  here(call: Pick<Call, 'said' | 'by' | 'chat'>): Promise<Session[]>
  shown(sessions: readonly Session[]): Promise<ShownSession[]>
  /** What changed, for everyone in the thread of the session; elsewhere for the sender alone. */
  told(call: Call, id: SessionId, text: string): Promise<Reply>
}

/** Ids are random from their first character, except those that begin with the time. */
export const shortId = (id: string): string => id.slice(0, id[14] === '7' ? 13 : 8)

const idLike = /^[0-9a-f][0-9a-f-]{3,35}$/i
const mostHere = 10
const mostSearched = 100
const mostChoices = 8

export function createFindSession({ app, database: { read } }: ChatCommandsDeps): FindSession {
  const shown = async (sessions: readonly Session[]): Promise<ShownSession[]> => app.read.shownSessions(sessions)

  async function visible(call: Pick<Call, 'by'>, ids: readonly SessionId[]): Promise<Session[]> {
    const sessions: Session[] = []
    for (const id of ids) {
      const session = await app.read.session(call.by.standing, id)
      if (session.ok) sessions.push(session.value)
    }
    return sessions
  }

  async function search({ by }: Pick<Call, 'by'>, q: string | undefined): Promise<Session[]> {
    const page = await app.read.sessions(by.standing, { q, archived: 'any', limit: mostSearched, offset: 0 })
    return page.ok ? page.value.sessions : []
  }

  async function here({ said, by, chat }: Pick<Call, 'said' | 'by' | 'chat'>): Promise<Session[]> {
    if (!chat) return []
    const place = { chatId: chat.id, platformId: chat.platformId, threadId: said.thread }
    return visible({ by }, await sessionsInThread(read, place, mostHere))
  }

  /** Several fit: the person picks one with a button, or types its id. Picked before, it is the one. */
  async function choose(
    call: Call,
    { sessions, next, question }: { sessions: readonly Session[]; next: number; question: string },
  ): Promise<Found> {
    const { picked } = call
    const chosen = picked === null ? undefined : sessions.find(({ id }) => isPicked(picked, id))
    if (chosen) return { session: chosen, next }
    const some = await shown(sessions.slice(0, mostChoices))
    const lines = some.map((one) => `${typed(call, `${call.name} ${shortId(one.id)}`)} ${describe(one)}`)
    const more = sessions.length - some.length
    const text = [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
    const buttons = some.map((one) => ({
      action: pickAction(call.event, one.id),
      label: `${shortId(one.id)} ${oneLine(one.title || (one.prompt ?? ''), 50)}`.trim(),
      style: 'plain' as const,
    }))
    const card = { title: question, tone: 'quiet' as const, lines: [{ kind: 'text' as const, text }], buttons }
    return { reply: { to: 'sender', content: { kind: 'card', card: { ...card, footer: null, mention: null } } } }
  }

  /** Without a name: the session of this thread, else the person's own in this chat. */
  async function unnamed(call: Call, at: number): Promise<Found> {
    const inThread = await here(call)
    const running = inThread.filter(({ status }) => takesSlot(status))
    if (running.length > 1) return choose(call, { sessions: running, next: at, question: 'Which session?' })
    const [last] = inThread
    const [first] = running.length > 0 || call.said.thread !== null ? [running[0] ?? last] : []
    if (first) return { session: first, next: at }
    const { chat, by } = call
    // Never another session than that of the thread.
    const place = chat && call.said.thread === null && { chatId: chat.id, platformId: chat.platformId }
    const own = place ? await visible(call, await openSessionsOf(read, by.userId, place, mostHere)) : []
    const [only] = own
    if (only && own.length === 1) return { session: only, next: at }
    const open = own.length > 0 ? own : (await search(call, undefined)).filter(({ status }) => !hasEnded(status))
    if (open.length > 0) return choose(call, { sessions: open, next: at, question: 'Which session?' })
    if (last) return { session: last, next: at }
    return { reply: privately(`No session here. See them with: ${typed(call, 'sessions all')}`) }
  }

  /** Every word is in its id, title, prompt, agent, repo or directory. */
  async function matching(call: Call, text: string): Promise<ShownSession[]> {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const longest = words.toSorted((a, b) => b.length - a.length)[0]
    if (longest === undefined) return []
    const some = await shown(await search(call, longest))
    return some.filter(({ id, title, prompt, agent, repoName, workspaceRoot }) => {
      const names = [title, prompt, agent, repoName, workspaceRoot].join(' ').toLowerCase()
      return words.every((word) => id.startsWith(word) || names.includes(word))
    })
  }

  async function notFound(call: Call, text: string, takes: 'text' | 'nothing'): Promise<Reply> {
    const some = await shown(await search(call, undefined))
    const word = text.toLowerCase()
    const nearId = some.find(
      ({ id }) => idLike.test(word) && word.length >= 6 && editDistance(word, id.slice(0, word.length), 2) <= 2,
    )
    const names = new Map(
      some.flatMap((one) =>
        `${one.title} ${one.agent ?? ''} ${one.repoName ?? ''}`.split(/\s+/).map((name) => [name, one]),
      ),
    )
    const name = meantBy(
      text,
      [...names.keys()].filter((one) => one.length > 3),
    )
    const near = nearId ?? (name === undefined ? undefined : names.get(name))
    const message = `No such session: ${oneLine(text)}.`
    // Someone who writes `steer please stop` outside a thread has not named a session.
    const how = takes === 'text' ? ' Name the session first, or mention the app in its thread.' : ''
    return privately(
      near === undefined
        ? `${message}${how} See them with: ${typed(call, 'sessions')}`
        : `${message} Did you mean ${typed(call, `${call.name} ${shortId(near.id)}`)} (${describe(near)})?`,
    )
  }

  /** The ones that run count more than those that have ended. */
  async function among(call: Call, found: readonly Session[], next: number): Promise<Found | null> {
    const open = found.filter(({ status }) => !hasEnded(status))
    const [only, ...others] = open.length > 0 ? open : found
    if (only === undefined) return null
    if (others.length === 0) return { session: only, next }
    return choose(call, { sessions: [only, ...others], next, question: 'Several sessions match:' })
  }

  return {
    here,
    shown,
    async told(call, id, text) {
      const isHere = (await here(call)).some((session) => session.id === id)
      return isHere ? aloud(text) : privately(text)
    },
    async find(call, at, takes) {
      const word = call.words[at]
      if (word === undefined) return unnamed(call, at)
      if (idLike.test(word.text)) {
        const prefix = word.text.toLowerCase()
        const begun = (await search(call, prefix)).filter(({ id }) => id.startsWith(prefix))
        const found = begun.length > 0 && (await among(call, begun, at + 1))
        if (found) return found
      }
      if (takes === 'text' && !word.quoted && (await here(call)).length > 0) return unnamed(call, at)
      const name = takes === 'text' ? word.text : restOf(call, at)
      const found = await among(call, await matching(call, name), takes === 'text' ? at + 1 : call.words.length)
      return found ?? { reply: await notFound(call, name, takes) }
    },
  }
}

export const describe = (session: ShownSession): string => {
  const { agent, protocolMode, title, prompt } = session
  return [stateWords(session), oneLine(agent ?? protocolMode, 30), oneLine(title || (prompt ?? ''), 60)]
    .filter((part) => part !== '')
    .join(' · ')
}
