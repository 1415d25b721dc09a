import type { ChatRef, ChatSender } from '../../../domain/chat/incoming.ts'
import type { InboxId } from '../../../domain/chat/id.ts'
import type { Card } from '../../../domain/chat-post/content.ts'
import type { Chat } from '../../../domain/chat/schema.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import type { Checkpoint, CheckpointId } from '../../../domain/checkpoint/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import type { UserId } from '../../../domain/user/id.ts'
import type { Database } from '../../../db/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import type { App } from '../../app.ts'
import type { AnswerAsk } from '../../use-cases/answer-ask.ts'
import type { Requester } from '../../use-cases/requester.ts'
import type { Sessions } from '../../use-cases/start-session.ts'
import type { Inlet } from '../take-incoming.ts'
import { commandTable, type CommandName } from './command-table.ts'
import { privately, type Reply } from './reply.ts'
import { textFrom, type Word } from './words.ts'

/** Where something was said or pressed, and by whom: the fields of an incoming event, its row and its instance. */
export type SaidAt = {
  readonly sender: ChatSender
  readonly chat: ChatRef
  readonly thread: string | null
  readonly inboxId: InboxId
  readonly inlet: Inlet
}

export type Said = SaidAt & {
  /** Without our mention, or what follows `/signalbox`. */
  readonly text: string
  /** The message that mentions us; null for a slash command. */
  readonly messageId: string | null
}

/** An agent that can be started here. */
export type ListedAgent = {
  readonly name: string
  readonly title: string
  readonly isDefault: boolean
  readonly installed: boolean
}

/** The commands of the configuration (R21). */
export type RunnableCommands = {
  list(): readonly { readonly alias: string; readonly command: string }[]
  run(
    alias: string,
    where: { sessionId: SessionId; cwd: string; mark: string | null },
  ): Promise<Result<{ exitCode: number | null; stdout: string; stderr: string; truncated: boolean; timedOut: boolean }>>
}

type Paths = readonly string[]
type CheckpointPort = {
  create(input: { sessionId: SessionId; label: string | null; actor: Actor; key?: string }): Promise<Result<Checkpoint>>
  look(
    id: CheckpointId,
    actor: Actor,
  ): Promise<Result<{ checkpoint: Checkpoint; diverged: { modified: Paths; deleted: Paths; added: Paths } }>>
  restore(
    id: CheckpointId,
    input: { removeNew: boolean; actor: Actor; key?: string },
  ): Promise<
    Result<{ restored: Paths; recreated: Paths; kept: Paths; before: Checkpoint; failed: readonly { path: string }[] }>
  >
}

export type ChatCommandsDeps = {
  app: Pick<App, 'dispatch' | 'check' | 'read'>
  database: Pick<Database, 'read'>
  sessions: Pick<Sessions, 'start' | 'continue'>
  answerAsk: AnswerAsk
  agents: { list(probe: 'none'): Promise<readonly ListedAgent[]> }
  checkpoints: CheckpointPort
  registry: RunnableCommands
  /** The card of an ask, with its buttons while it is open. */
  askCard(ask: Ask): Promise<Card>
  clock: Clock
  log: Logger
}

/**
 * Someone with an account. `guest`: the account was made because they wrote in a public chat; they have their own
 * sessions and nothing else.
 */
export type Caller = Requester & {
  readonly userId: UserId
  readonly standing: Requester['standing']
  readonly isGuest: boolean
}

/** A command with the person who gave it. */
export type Call = {
  readonly name: CommandName
  readonly said: Said
  readonly words: readonly Word[]
  readonly by: Caller
  /** Null if we do not know the chat. */
  readonly chat: Chat | null
  /** The end of the id of the session that the person picked. */
  readonly picked: string | null
  /** The event that the command came with, to be picked up again. */
  readonly event: InboxId
}

export type CommandHandler = (call: Call) => Promise<Reply>

/** The text of a command from its word at this position; the name of the command is word 0. */
export const restOf = ({ said, words }: Call, at: number): string => textFrom(said.text, words, at)

/** A command as the person would type it here. */
export const typed = ({ said }: Pick<Call, 'said'>, command: string): string =>
  `\`${said.messageId === null ? '/signalbox ' : ''}${command}\``

export const wrongUsage = (call: Call, message: string): Reply =>
  privately(`${message} Usage: ${typed(call, commandTable[call.name].usage)}`)
