import * as z from 'zod'
import { Json } from '../../lib/json.ts'
import { MessageId, type MessageChange } from '../message/schema.ts'
import type { DataOf } from '../slice/events.ts'
import { QueueItemId, type QueueChange } from '../queue/schema.ts'
import type { AlertChange } from '../alert/schema.ts'
import type { AskChange } from '../ask/change.ts'
import { AskId } from '../ask/id.ts'
import { promptFiles } from '../attachment/schema.ts'
import { MessagingGroupId, SessionMode } from '../chat/id.ts'
import { CheckpointId } from '../checkpoint/id.ts'
import { RepoId } from '../workspace/id.ts'
import { AgentGroupId, TokenId, UserId } from '../user/id.ts'
import { SessionId } from './id.ts'
import { activities, agentPhases, type AgentPhase } from './phase.ts'
import { gitWork, sessionStatuses } from './status.ts'

export { SessionId }

export const SessionStatusName = z.enum(sessionStatuses)
export const ProtocolMode = z.enum(['mcp', 'acp', 'terminal'])
export type ProtocolMode = z.infer<typeof ProtocolMode>
export const OperationalMode = z.enum(['remote', 'local', 'hybrid'])
export type OperationalMode = z.infer<typeof OperationalMode>
export const AgentPhaseName = z.enum(agentPhases)
export const ConnectivityStatus = z.enum(['online', 'offline', 'stalled'])
/** Where a hosted agent runs: in a container, in a sandbox, or as the server's user. */
export const Isolation = z.enum(['none', 'sandbox', 'container'])
export type Isolation = z.infer<typeof Isolation>
export const ProgressItem = z.object({ label: z.string(), status: z.enum(['done', 'in_progress', 'pending']) })

export type ProgressItem = z.infer<typeof ProgressItem>

/** What people call a session: one line. */
export const SessionName = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters')

export const Session = z
  .object({
    id: SessionId,
    ownerUserId: UserId,
    protocolMode: ProtocolMode,
    status: SessionStatusName,
    waiting: z.boolean().meta({ description: 'An open ask waits for a decision.' }),
    activity: z.enum(activities).nullable().meta({
      description:
        'What it is doing: working, idle (its turn is over), needs_you (an ask is open), asleep (its agent was ended to free a slot; a prompt wakes it), queued (it waits for a container), unresponsive (it was told to stop, but has not stopped). Null if the status says it all.',
    }),
    sleepingSince: z.iso.datetime().nullable(),
    queuePosition: z.int().nullable().meta({ description: 'Its place among those that wait for a container, from 1.' }),
    name: z.string().nullable().meta({ description: 'What people call it; null: it is called by its title.' }),
    pinnedAt: z.iso.datetime().nullable(),
    archivedAt: z.iso.datetime().nullable().meta({ description: 'Since when lists leave it out.' }),
    prompt: z.string().nullable(),
    mode: OperationalMode,
    workspaceRoot: z.string(),
    workspaceClaimed: z.boolean().meta({
      description: 'Named by the agent and not trusted: no policy applies there, and no file is changed.',
    }),
    repoId: RepoId.nullable(),
    agent: z.string().nullable(),
    agentProvider: z.string().nullable(),
    model: z.string().nullable().meta({ description: 'The model it was started with; null: as its agent group says.' }),
    effort: z.string().nullable().meta({ description: 'How much the model thinks; null: as its agent group says.' }),
    isolation: Isolation.nullable().meta({
      description: 'How an agent that Signalbox runs is confined; null for other agents.',
    }),
    agentGroupId: AgentGroupId.nullable(),
    messagingGroupId: MessagingGroupId.nullable(),
    threadId: z.string().nullable(),
    channelId: z.string().nullable(),
    threadTs: z.string().nullable(),
    connectivityStatus: ConnectivityStatus,
    containerStatus: z.enum(['stopped', 'running', 'idle']),
    lastActivityAt: z.iso.datetime().nullable(),
    lastTool: z.string().nullable(),
    nudgeCount: z.int(),
    stallPaused: z.boolean(),
    stallPausedUntil: z.iso.datetime().nullable(),
    progressSnapshot: z.array(ProgressItem).nullable(),
    restartOf: SessionId.nullable(),
    metadata: z.record(z.string(), Json),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    terminatedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

const Risk = z.enum(['low', 'high', 'critical'])

/** Something a person allowed for the whole session. */
export const Allowance = z
  .object({
    id: AskId.meta({ description: 'The ask that was answered with it.' }),
    what: z.string().meta({ description: 'What it covers.' }),
    risk: Risk.meta({ description: 'Anything riskier is asked.' }),
    by: z.string(),
    at: z.iso.datetime(),
    revokedBy: z.string().nullable(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Allowance' })
export type Allowance = z.infer<typeof Allowance>

const absolutePath = z
  .string()
  .max(4096)
  .regex(/^(\/|[A-Za-z]:[\\/])/, 'must be an absolute path')
  .refine((path) => !path.includes('\0'), 'must not hold a NUL byte')

/** Fixed when a session starts. */
export const NewSession = z.object({
  id: SessionId,
  ownerUserId: UserId,
  protocolMode: ProtocolMode.default('mcp'),
  workspaceRoot: absolutePath,
  repoId: RepoId.nullable().default(null),
  name: SessionName.nullable().optional(),
  prompt: z.string().max(1_000_000).nullable().default(null),
  mode: OperationalMode.default('remote'),
  agent: z.string().max(200).nullable().default(null),
  agentProvider: z.string().max(200).nullable().default(null),
  /** What the session says itself; else its agent group decides (C11). */
  model: z.string().max(200).nullable().optional(),
  effort: z.string().max(200).nullable().optional(),
  agentGroupId: AgentGroupId.nullable().default(null),
  messagingGroupId: MessagingGroupId.nullable().default(null),
  threadId: z.string().max(200).nullable().default(null),
  channelId: z.string().max(200).nullable().default(null),
  threadTs: z.string().max(200).nullable().default(null),
  metadata: z.record(z.string().max(200), Json).default({}),
  isolation: Isolation.nullable().default(null),
  /** The agent token that started it and may act for it. */
  tokenId: TokenId.nullable().default(null),
  /** How its agent connects over MCP. */
  client: z.enum(['connection', 'alone']).nullable().optional(),
  /** An agent named its own workspace, so no policy there answers for it. */
  workspaceClaimed: z.boolean().optional(),
  /** The repo, if its workspace is a worktree that Signalbox created from it. */
  worktreeOf: absolutePath.nullable().optional(),
  /** Which messages of chats reach it, if it was started from a chat. */
  sessionMode: SessionMode.nullable().optional(),
  /** The session whose agent sent its first message, by a destination of its agent group. */
  sentBy: SessionId.optional(),
})
export type NewSession = z.infer<typeof NewSession>

/** For sessions outside any chat. */
export const inNoChat = {
  agentProvider: null,
  agentGroupId: null,
  messagingGroupId: null,
  threadId: null,
  channelId: null,
  threadTs: null,
} satisfies Partial<NewSession>

const Reason = z.string().max(2_000).nullable().default(null)
const moved = <T extends string>(type: T) => z.object({ type: z.literal(type), id: SessionId, reason: Reason })

export const SessionCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.start'),
    session: NewSession,
    /** An agent that connects to us is already running; one we spawn becomes active when it answers. */
    active: z.boolean(),
    restartOf: SessionId.nullable().default(null),
    /** The session whose conversation is copied; that session keeps running. */
    forkOf: SessionId.optional(),
    /** The queue item its prompt becomes, if we deliver the prompt. */
    promptItem: QueueItemId.optional(),
    /** What goes along with the prompt. */
    ...promptFiles,
    /** The node that hosts its agent, if we do, and the id of its process there. */
    hostedBy: z.string().optional(),
    childId: z.string().optional(),
    /** It has no process yet: it waits for a container, and is started later with this. */
    queued: z.object({ about: Json, state: Json }).optional(),
    /** A checkpoint to continue from: its progress and queue replace those of the previous session. */
    fromCheckpoint: CheckpointId.optional(),
    /** The network access of a hosted agent, in words; for the log. */
    network: z.string().max(2000).optional(),
  }),
  moved('session.activate'),
  moved('session.pause'),
  moved('session.resume'),
  moved('session.complete'),
  moved('session.cancel'),
  moved('session.fail'),
  moved('session.terminate'),
  moved('session.interrupt'),
  moved('session.recover'),
  /** Ends the agent's process and keeps its conversation; with `restart`, a new one is started. */
  z.object({
    type: z.literal('session.sleep'),
    id: SessionId,
    why: z.enum(['idle', 'slot_needed', 'asked', 'restart']),
    /** The first prompt for the next process. */
    onWake: z
      .object({ itemId: QueueItemId, text: z.string().min(1).max(1_000_000) })
      .nullable()
      .default(null),
  }),
  /** Takes a slot for an agent that is asleep or queued; its process is started next. */
  z.object({ type: z.literal('session.wake'), id: SessionId }),
  /** The new process has answered. `since`: which phase it was started for. */
  z.object({ type: z.literal('session.awake'), id: SessionId, since: z.string().nullable() }),
  /** An MCP client calls its first tool: it takes a slot (R4). */
  z.object({ type: z.literal('session.begin_work'), id: SessionId }),
  /** The turn of an agent that connects over MCP is over, until its next sign of work (R16). */
  z.object({ type: z.literal('session.end_turn'), id: SessionId }),
  /**
   * The agent's process ended without being told to. `clean`: between turns and without an error. `lost`: through no
   * fault of its own, with its container. `unstarted`: it never was ready.
   */
  z.object({
    type: z.literal('session.exit'),
    id: SessionId,
    what: z.string().max(2_000),
    how: z.enum(['clean', 'crashed', 'lost', 'unstarted']),
  }),
  z.object({
    type: z.literal('session.touch'),
    id: SessionId,
    tool: z.string().max(200).nullable().default(null),
    /** What the agent reports as done and to do; omitted: unchanged. */
    progress: z.array(ProgressItem).max(200).nullable().optional(),
    /** A heartbeat: alive, but not necessarily making progress. */
    beat: z.boolean().optional(),
    /** The end of a long silent operation; null if there is none, or it is over. */
    longUntil: z.iso.datetime().nullable().optional(),
  }),
  z.object({ type: z.literal('session.set_mode'), id: SessionId, mode: OperationalMode }),
  /** A person pauses stall detection, until a time or until they resume it. */
  z.object({
    type: z.literal('session.watch'),
    id: SessionId,
    paused: z.boolean(),
    until: z.iso.datetime().nullable().default(null),
  }),
  /** The client continues with another session of the same person that had lost its client. */
  z.object({ type: z.literal('session.rejoin'), id: SessionId, to: SessionId }),
  z.object({ type: z.literal('session.connect'), id: SessionId, connectivity: ConnectivityStatus }),
  /** The first message of its thread was posted (X11). */
  z.object({ type: z.literal('session.set_thread'), id: SessionId, threadTs: z.string().min(1).max(200) }),
  z.object({
    type: z.literal('session.alert'),
    id: SessionId,
    what: z.string().max(100),
    text: z.string().max(10_000),
  }),
  /** A person acts on the agent itself; recorded to show who did it. */
  z.object({
    type: z.literal('session.steer'),
    id: SessionId,
    what: z.enum(['cancel_turn', 'set_mode', 'set_option', 'recover', 'run', 'type', 'hang_up', ...gitWork]),
    detail: z.string().max(500).nullable().default(null),
  }),
  /** Null: it is called by its title again. */
  z.object({ type: z.literal('session.rename'), id: SessionId, name: SessionName.nullable() }),
  /** Pinned sessions come first in lists, for everyone. */
  z.object({ type: z.literal('session.pin'), id: SessionId, pinned: z.boolean() }),
  /** Lists leave archived sessions out, for everyone. */
  z.object({ type: z.literal('session.archive'), id: SessionId, archived: z.boolean() }),
  /** What was allowed for the session is asked again. */
  z.object({ type: z.literal('session.disallow'), id: SessionId, allowanceId: AskId }),
  z.object({ type: z.literal('session.delegate'), id: SessionId, userId: UserId }),
  z.object({ type: z.literal('session.undelegate'), id: SessionId, userId: UserId }),
])
export type SessionCommand = z.infer<typeof SessionCommand>
/** How lists show a session. */
export type ListingCommand = Extract<SessionCommand, { type: 'session.rename' | 'session.pin' | 'session.archive' }>

/** Events about sessions. */
export const sessionEvents = {
  'session.started': () =>
    z.object({
      id: SessionId,
      ownerUserId: UserId,
      protocolMode: ProtocolMode,
      workspaceRoot: z.string(),
      repoId: RepoId.nullable(),
      restartOf: SessionId.nullable(),
      promptHash: z.string().nullable(),
      tokenId: TokenId.nullable(),
      isolation: Isolation.nullable(),
      network: z.string().optional(),
    }),
  'session.status_changed': () =>
    z.object({
      id: SessionId,
      from: SessionStatusName,
      to: SessionStatusName,
      reason: z.string().nullable(),
      slots: z.int(),
    }),
  'session.phase_changed': () =>
    z.object({
      id: SessionId,
      from: AgentPhaseName,
      to: AgentPhaseName,
      why: z.string(),
      /** When a waking agent is started, if not now. */
      wakeAt: z.string().nullable(),
      slots: z.int(),
    }),
  /** For agents that connect over MCP. */
  'session.turn_changed': () => z.object({ id: SessionId, over: z.boolean() }),
  'session.connectivity_changed': () => z.object({ id: SessionId, to: ConnectivityStatus }),
  'session.thread_opened': () => z.object({ id: SessionId, threadTs: z.string() }),
  'session.mode_changed': () => z.object({ id: SessionId, from: OperationalMode, to: OperationalMode }),
  'session.watch_changed': () => z.object({ id: SessionId, paused: z.boolean(), until: z.string().nullable() }),
  /** Nothing was asked, but someone should look. */
  'session.alerted': () => z.object({ id: SessionId, what: z.string(), messageId: MessageId }),
  'session.steered': () => z.object({ id: SessionId, what: z.string(), detail: z.string().nullable() }),
  'session.renamed': () => z.object({ id: SessionId, from: z.string().nullable(), to: z.string().nullable() }),
  'session.pinned': () => z.object({ id: SessionId, pinned: z.boolean() }),
  'session.archived': () => z.object({ id: SessionId, archived: z.boolean() }),
  'session.rejoined': () => z.object({ id: SessionId, to: SessionId }),
  /** A person allowed something for the whole session; its id is that of the ask. */
  'session.allowed': () =>
    z.object({ id: SessionId, allowanceId: AskId, what: z.string(), risk: Risk, by: z.string() }),
  'session.disallowed': () => z.object({ id: SessionId, allowanceId: AskId, by: z.string() }),
  'session.delegated': () => z.object({ id: SessionId, userId: UserId }),
  'session.undelegated': () => z.object({ id: SessionId, userId: UserId }),
}
type Data = DataOf<typeof sessionEvents>

/** `data` goes to the log, `body` to the tables only. */
export type SessionOwnChange =
  | {
      type: 'session.started'
      data: Data['session.started']
      body: NewSession & { workspaceMark: string | null; status: 'created' | 'active'; agentPhase: AgentPhase }
    }
  | {
      type: 'session.status_changed'
      data: Data['session.status_changed']
      /**
       * Noted: the reason is ours, not a person's: it is stored in the metadata (A11). Inserted: `session.started` of the
       * same command has stored this status.
       */
      body?: { noted: true } | { inserted: true }
    }
  | { type: 'session.phase_changed'; data: Data['session.phase_changed'] }
  | { type: 'session.turn_changed'; data: Data['session.turn_changed'] }
  | { type: 'session.connectivity_changed'; data: Data['session.connectivity_changed'] }
  | { type: 'session.thread_opened'; data: Data['session.thread_opened'] }
  | { type: 'session.mode_changed'; data: Data['session.mode_changed'] }
  | { type: 'session.watch_changed'; data: Data['session.watch_changed'] }
  | { type: 'session.alerted'; data: Data['session.alerted'] }
  | { type: 'session.steered'; data: Data['session.steered'] }
  | { type: 'session.renamed'; data: Data['session.renamed'] }
  | { type: 'session.pinned'; data: Data['session.pinned'] }
  | { type: 'session.archived'; data: Data['session.archived'] }
  | { type: 'session.rejoined'; data: Data['session.rejoined'] }
  | { type: 'session.allowed'; data: Data['session.allowed']; body: { key: string } }
  | { type: 'session.disallowed'; data: Data['session.disallowed'] }
  | { type: 'session.delegated'; data: Data['session.delegated'] }
  | { type: 'session.undelegated'; data: Data['session.undelegated'] }
  /** A sign of life: written to the row, not logged. */
  | {
      type: 'session.touched'
      data: {
        id: SessionId
        tool: string | null
        progress?: readonly ProgressItem[] | null
        /** Alive, but without progress. */
        still?: boolean
        longUntil?: string | null
      }
    }

export type SessionChange = SessionOwnChange | MessageChange | AskChange | QueueChange | AlertChange
