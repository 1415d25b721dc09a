import { ChatCommand, type Chat } from '../../../domain/chat/schema.ts'
import { loadChatAt } from '../../../domain/chat/store.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import { loadStanding } from '../../../domain/user/store.ts'
import { entryOfPerson } from '../../../domain/user/store-entry.ts'
import { createRateLimit } from '../../../lib/rate-limit.ts'
import { holderOfSender } from '../holder-of-sender.ts'
import { platformIdOf } from '../records.ts'
import type { Caller, ChatCommandsDeps, SaidAt } from './call.ts'
import { privately, type Reply } from './reply.ts'

export type Callers = {
  /** The person behind a sender; null for a stranger. */
  callerOf(said: SaidAt): Promise<Caller | null>
  chatOf(said: Pick<SaidAt, 'inlet' | 'chat'>): Promise<Chat | null>
  /** A stranger used a command or a button: it is counted, and nobody answers. */
  countStranger(said: SaidAt): Promise<null>
  /** Null if the person may do something now. What is returned is said once; then there is silence. */
  tooFast(by: Caller): { readonly reply: Reply } | null
}

const system: Actor = { kind: 'system', name: 'chat' }
/** For commands and buttons; messages to agents are not limited here. */
const mostUses = 30
const perMs = 60_000

export function createCallers({ app, database: { read }, clock, log }: ChatCommandsDeps): Callers {
  const limit = createRateLimit({ clock, most: mostUses, perMs })
  const told = new Set<string>()

  async function chatOf({ inlet, chat }: Pick<SaidAt, 'inlet' | 'chat'>): Promise<Chat | null> {
    const place = { channelType: inlet.platform, platformId: platformIdOf(inlet, chat.id) }
    const found = await loadChatAt(read, place)
    return found && !found.removed ? found : null
  }

  return {
    chatOf,

    async callerOf({ sender, inboxId, inlet }) {
      if (sender.isBot) return null
      const userId = await holderOfSender(read, inlet.platform, sender)
      if (userId === null) return null
      const actor: Actor = { kind: 'person', userId, scope: 'full' }
      const standing = await loadStanding(read, actor)
      if (standing.unknown) return null
      const entry = await entryOfPerson(read, standing, { userId, identity: sender.identity })
      if (entry === 'none') return null
      return { userId, actor, standing, once: { key: `chat:${inboxId}` }, isGuest: entry === 'own_sessions' }
    },

    async countStranger(said) {
      const { sender, inlet } = said
      const chat = await chatOf(said)
      const noted = {
        channelType: inlet.platform,
        platformId: platformIdOf(inlet, said.chat.id),
        identity: sender.identity,
        name: sender.name?.slice(0, 200) ?? null,
        reason: 'unknown_sender_strict',
        chatId: chat?.id ?? null,
        agentGroupId: null,
      }
      const command = ChatCommand.safeParse({ type: 'stranger.note', ...noted })
      if (command.success) await app.dispatch(command.data, system)
      log.info({ identity: sender.identity, chat: said.chat.id }, 'a stranger used a command or a button')
      return null
    },

    tooFast({ userId }) {
      const seconds = limit.take(userId)
      if (seconds === null) {
        told.delete(userId)
        return null
      }
      if (told.has(userId)) return { reply: null }
      told.add(userId)
      return { reply: privately(`Too many commands. Try again in ${seconds} seconds.`) }
    },
  }
}
