import type { Alert } from '../../../domain/alert/schema.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { isAdministrative } from '../../../domain/ask/kinds.ts'
import type { IncomingMessage } from '../../../domain/chat/incoming.ts'
import type { MessagingGroupId } from '../../../domain/chat/id.ts'
import type { Message } from '../../../domain/message/schema.ts'
import { isOpen } from '../../../domain/message/schema.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'

/** Where what happens is announced. Only rules: nothing here reads or writes. */

/** Where a session is at home in chats. */
export type Home =
  | { readonly kind: 'nowhere' }
  /** The chat and thread where it was started. */
  | { readonly kind: 'started_in'; readonly chatId: MessagingGroupId; readonly thread: string | null }
  /** A session for all chats of its agent group speaks where it was spoken to last. */
  | { readonly kind: 'last_heard' }
  /** The channel of its workspace, where it opens a thread (X11). */
  | { readonly kind: 'channel'; readonly channelId: string }

type Place = Pick<Session, 'mode' | 'messagingGroupId' | 'agentGroupId' | 'threadId' | 'channelId'>

export function homeOf({ mode, messagingGroupId, agentGroupId, threadId, channelId }: Place): Home {
  // R14: a local session is announced in no chat.
  if (mode === 'local') return { kind: 'nowhere' }
  if (messagingGroupId !== null) return { kind: 'started_in', chatId: messagingGroupId, thread: threadId }
  if (agentGroupId !== null) return { kind: 'last_heard' }
  return channelId === null ? { kind: 'nowhere' } : { kind: 'channel', channelId }
}

/** Channel ids of the configuration are Slack's (X10). Of several instances, the one named like its platform has them. */
export const hasChannels = ({ platform, name }: { platform: string; name: string }): boolean =>
  platform === 'slack' && name === platform

/** The thread in which a message is replied to: its own, or the one that a reply opens under it. */
export const replyThread = (
  { thread, messageId, chat }: Pick<IncomingMessage, 'thread' | 'messageId' | 'chat'>,
  opensThreads: boolean,
): string | null => thread ?? (opensThreads && chat.isGroup ? messageId : null)

/**
 * Who is shown a new ask. `place`: everyone where its session is; `direct`: those who may answer it, in the chat between
 * them and us; `nowhere`: it is in the inbox and the command line, and in a chat of another instance or in none.
 */
export function audienceOf(
  { subject }: Pick<Ask, 'subject'>,
  session: Place | null,
  /** Here; and whether anyone ever wrote to it in a chat. */
  { hasPlace, isHeard }: { readonly hasPlace: boolean; readonly isHeard: boolean },
): 'place' | 'direct' | 'nowhere' {
  // Admins are asked, wherever the session is, and whatever its mode.
  if (session === null || isAdministrative(subject.kind)) return 'direct'
  if (hasPlace) return 'place'
  return session.mode === 'local' || isInChat(session, isHeard) ? 'nowhere' : 'direct'
}

/**
 * It is in a chat of another instance: nobody is told twice. A session of an agent group that the clock or a person at a
 * terminal started is in none.
 */
const isInChat = ({ messagingGroupId, agentGroupId, channelId }: Place, isHeard: boolean): boolean =>
  messagingGroupId !== null || channelId !== null || (agentGroupId !== null && isHeard)

/** A mode takes effect at once: what is open is announced where it was not yet (R14). */
export const isAnnouncedAgain = ({ mode, status }: Pick<Session, 'mode' | 'status'>): boolean =>
  mode !== 'local' && !hasEnded(status)

/** Nobody is notified of an edit, so an escalation is a message of its own (R16). */
export const postsOfAlert = ({ escalatedAt }: Pick<Alert, 'escalatedAt'>): readonly ('alert' | 'escalation')[] =>
  escalatedAt === null ? ['alert'] : ['alert', 'escalation']

/** What an agent says is for chats; what its tools do only for verbose ones. Verbose chats see texts grow. */
export function isForChat({ role, content }: Pick<Message, 'role' | 'content'>, verbose: boolean): boolean {
  if (content.type === 'text') return role === 'agent' && content.text.trim() !== '' && (verbose || !isOpen(content))
  return verbose && content.type === 'tool'
}
