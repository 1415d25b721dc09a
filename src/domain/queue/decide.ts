import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { messageAdded } from '../message/decide.ts'
import type { AskChange } from '../ask/change.ts'
import type { AskId } from '../ask/id.ts'
import type { MessageChange, MessageId } from '../message/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentPhase } from '../session/phase.ts'
import type { ProtocolMode } from '../session/schema.ts'
import { takesSlot, type SessionStatus } from '../session/status.ts'
import { handOver } from './hand-over.ts'
import type { UserId } from '../user/id.ts'
import { filesOfPrompt } from '../attachment/decide.ts'
import type { AttachmentInfo } from '../attachment/schema.ts'
import { changedItem, type Ranked } from './change-item.ts'
import type { PromptFiles, QueueChange, QueueCommand, QueueItem, QueueItemId, QueuePlace } from './schema.ts'

export const queueAdded = (
  item: { id: QueueItemId; sessionId: SessionId; when: QueuePlace },
  text: string,
  by: string,
  files?: PromptFiles,
): QueueChange => ({
  type: 'queue.added',
  data: {
    id: item.id,
    sessionId: item.sessionId,
    when: item.when,
    textHash: sha256(text),
    by,
    ...(files && files.attachments.length > 0 && { attachments: files.attachments.map(({ id }) => id) }),
  },
  body: text,
  ...(files && { files }),
})

/** The files that a prompt wants to send along; undefined if there are none. */
export function promptFilesOf(
  { attachments = [], links = [] }: Pick<Extract<QueueCommand, { type: 'queue.add' }>, 'attachments' | 'links'>,
  uploads: Uploads,
): Result<PromptFiles | undefined> {
  if (attachments.length + links.length === 0) return ok(undefined)
  const found = filesOfPrompt(attachments, uploads.found, uploads.sender)
  return found.ok ? ok({ attachments: found.value, links: [...new Set(links)] }) : found
}

/** The uploads that a command names, and who sends them. */
export type Uploads = {
  readonly found: readonly (AttachmentInfo & { readonly ownerUserId: UserId })[]
  readonly sender: UserId | null
}

export function decideQueue(
  session:
    | {
        id: SessionId
        status: SessionStatus
        protocolMode: ProtocolMode
        agentPhase: AgentPhase
        openWait: AskId | null
      }
    | undefined,
  item: QueueItem | undefined,
  command: QueueCommand,
  facts: { by: string; noteId: MessageId; uploads?: Uploads; waiting?: readonly Ranked[] },
): Result<(QueueChange | MessageChange | AskChange)[]> {
  const { id, sessionId } = command
  if (!session) return notFound('session', sessionId)
  if (command.type === 'queue.add') {
    if (item) return fail({ kind: 'conflict', code: 'queue_item_exists', message: `Item ${id} already exists.` })
    // What is said in a chat waits with the agent instead of being said again.
    const waits = command.through !== undefined || command.waits === true
    const kept = command.kept === true && facts.by.startsWith('system:')
    const takes = kept || (waits ? takesSlot(session.status) : session.status === 'active')
    if (!takes) return notActive(session.status)
    const files = promptFilesOf(command, facts.uploads ?? { found: [], sender: null })
    if (!files.ok) return files
    if (files.value && session.protocolMode !== 'acp') return fail(filesNotTaken)
    // A wait is answered with text only. Files come with a prompt, which ends the wait.
    const interrupts = files.value !== undefined && session.openWait !== null
    const when = interrupts ? 'now' : command.when
    const added = queueAdded({ id, sessionId, when }, command.text, facts.by, files.value)
    if (interrupts || session.openWait === null || session.status !== 'active') return ok([added])
    const taken = { id, sessionId, text: command.text, by: facts.by }
    return ok([added, ...handOver({ id: session.openWait, sessionId }, taken, facts.noteId)])
  }
  if (!item || item.sessionId !== sessionId) return notFound('queue_item', id)
  switch (command.type) {
    case 'queue.send':
      if (item.status !== 'waiting') return tooLate(item)
      if (session.status !== 'active') return notActive(session.status)
      // Its process is ending, or has not started: only the next one may get it.
      if (session.agentPhase !== 'awake') return fail(asleep)
      return ok([
        { type: 'queue.sent', data: { id, sessionId, messageId: command.messageId } },
        messageAdded(command.messageId, sessionId, 'user', {
          type: 'text',
          text: item.text,
          ...(item.attachments && { attachments: item.attachments }),
          ...(item.links && { links: item.links }),
        }),
      ])
    case 'queue.settle':
      return item.status === 'sent'
        ? ok([{ type: 'queue.delivered', data: { id, sessionId, outcome: command.outcome } }])
        : ok([])
    case 'queue.change':
      return item.status === 'waiting' ? changedItem(item, command, facts.waiting ?? [], facts.by) : tooLate(item)
    case 'queue.drop':
      return item.status === 'waiting'
        ? ok([{ type: 'queue.dropped', data: { id, sessionId, reason: command.reason } }])
        : tooLate(item)
    default:
      return command satisfies never
  }
}

const hints: Partial<Readonly<Record<SessionStatus, string>>> = {
  created: 'It is still starting; try again in a moment.',
  paused: 'Resume it first.',
  interrupted: 'Recover it first.',
}

const notActive = (status: SessionStatus): Failed =>
  fail({
    kind: 'conflict',
    code: 'session_not_active',
    message: `The session is ${status}; only an active one accepts prompts.`,
    hint: hints[status] ?? 'Continue it as a new session.',
    details: { status },
  })

const filesNotTaken = {
  kind: 'conflict' as const,
  code: 'files_not_taken',
  message: 'Files can only be sent to agents that Signalbox runs.',
  hint: 'Put them into the workspace and name their paths.',
}

const asleep = {
  kind: 'conflict' as const,
  code: 'agent_not_awake',
  message: 'The agent of this session is asleep or starting.',
}

const tooLate = (item: QueueItem): Failed =>
  fail({
    kind: 'conflict',
    code: 'already_sent',
    message: `It is ${item.status} already.`,
    details: { status: item.status },
  })
