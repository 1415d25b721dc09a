import * as z from 'zod'
import { AgentState, Diagnosis, Usage } from '../../domain/agent/about.ts'
import { AskId } from '../../domain/ask/id.ts'
import { CheckpointId } from '../../domain/checkpoint/id.ts'
import { Message, MessageContent, MessageRole } from '../../domain/message/schema.ts'
import { QueueItem } from '../../domain/queue/schema.ts'
import { Allowance, OperationalMode, Session, SessionId } from '../../domain/session/schema.ts'
import { sessionStatuses } from '../../domain/session/status.ts'
import { AgentGroupId, UserId } from '../../domain/user/id.ts'
import { Repo, RepoId } from '../../domain/workspace/schema.ts'
import { Json } from '../../lib/json.ts'
import { endpoint } from '../endpoint.ts'
import { newSessionBody } from './new-session.ts'
import { FileChange, PageCursor, count, limit, listOf, time } from './parts.ts'

const ById = z.object({ id: SessionId })
const Reason = z.strictObject({ reason: z.string().max(2000).nullable().default(null) })

export const SessionDetail = Session.extend({
  repo: Repo.nullable(),
  messages: z.array(Message),
  lineage: z.array(SessionId).meta({ description: 'From the first session to its last successor.' }),
  delegates: z.array(UserId),
  agentState: AgentState.nullable().meta({
    description: 'What an agent that Signalbox runs reported about itself; null for others.',
  }),
  queue: z.array(QueueItem).meta({ description: 'Messages queued for the agent.' }),
  sharedWith: z.int().meta({ description: 'How many other sessions work in the same directory now.' }),
}).meta({ id: 'SessionDetail' })
export type SessionDetail = z.infer<typeof SessionDetail>

/** What a list shows besides the session itself. */
const Shown = {
  title: z
    .string()
    .meta({ description: "Its name, else the agent's own title, the prompt's first line, program or folder." }),
  repoName: z.string().nullable(),
  ownerName: z.string(),
  usage: Usage.nullable(),
  openAsks: z.int(),
}
export const FullSession = Session.extend(Shown)
export type FullSession = z.infer<typeof FullSession>
/** The last five fields only with `view=full`. */
export const ListedSession = Session.extend(z.object(Shown).partial().shape).meta({ id: 'ListedSession' })
export type ListedSession = z.infer<typeof ListedSession>

export const SessionFile = FileChange.extend({
  askId: AskId.nullable().meta({ description: 'The ask that approved it; null if the agent did it without asking.' }),
  at: z.iso.datetime(),
  undone: z.boolean(),
}).meta({ id: 'SessionFile' })
export type SessionFile = z.infer<typeof SessionFile>

const move = (verb: string, summary: string) =>
  endpoint({
    method: 'POST',
    path: `/api/sessions/{id}/${verb}`,
    tag: 'sessions',
    summary,
    status: 200,
    params: ById,
    body: Reason,
    response: Session,
  })

export const sessionEndpoints = {
  listSessions: endpoint({
    method: 'GET',
    path: '/api/sessions',
    tag: 'sessions',
    summary: 'Sessions that you can see, newest first, without their messages; long prompts are shortened',
    status: 200,
    query: () =>
      z.strictObject({
        repoId: RepoId.optional(),
        status: listOf(sessionStatuses).optional(),
        limit: limit(100, 20),
        offset: count(0, 1_000_000_000, 0),
        before: PageCursor.optional(),
        view: z.enum(['plain', 'full']).default('plain').meta({
          description: 'full: with title, repoName, ownerName, usage and openAsks.',
        }),
        q: z.string().trim().min(1).max(200).optional().meta({
          description: 'Part of its title, prompt, agent, repo or folder, or the start of its id. Not case-sensitive.',
        }),
        since: time.optional().meta({ description: 'Started at or after this.' }),
        until: time.optional().meta({ description: 'Started before this.' }),
        agent: z.string().min(1).max(200).optional(),
        agentGroupId: AgentGroupId.optional(),
        protocol: listOf(['mcp', 'acp', 'terminal']).optional(),
        archived: z.enum(['true', 'any']).optional().meta({
          description: 'true: only archived ones; any: those too. Otherwise they are left out.',
        }),
        pinned: z.literal('true').optional().meta({ description: 'Only pinned ones.' }),
        waiting: z.literal('true').optional().meta({ description: 'Only those with an open ask.' }),
        connectivity: listOf(['online', 'offline', 'stalled']).optional(),
      }),
    response: () =>
      z.object({
        sessions: z.array(ListedSession),
        total: z.int(),
        limit: z.int(),
        offset: z.int(),
        next: PageCursor.nullable(),
      }),
  }),
  startSession: endpoint({
    method: 'POST',
    path: '/api/sessions',
    tag: 'sessions',
    summary: 'Start a session: with an agent that Signalbox runs (acp), or for an agent that connects to it (mcp)',
    status: 201,
    body: newSessionBody,
    response: Session,
  }),
  getSession: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}',
    tag: 'sessions',
    summary: 'A session with its repo, lineage and all messages in order',
    status: 200,
    params: ById,
    query: () => z.strictObject({ messages: z.enum(['all', 'none']).default('all') }),
    response: SessionDetail,
  }),
  listMessages: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/messages',
    tag: 'sessions',
    summary: 'Messages of a session in order; with a time, only those after it',
    status: 200,
    params: ById,
    query: () => z.strictObject({ since: time.optional() }),
    response: () => z.array(Message),
  }),
  conversation: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/conversation',
    tag: 'sessions',
    summary: 'The newest messages of a session in order, with the one being written now; `before` leads to older ones',
    status: 200,
    params: ById,
    query: () => z.strictObject({ before: PageCursor.optional(), limit: limit(200, 50) }),
    response: () =>
      z.object({
        messages: z.array(Message),
        next: PageCursor.nullable().meta({ description: 'Cursor to older ones; null if there are none.' }),
      }),
  }),
  sessionFiles: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/files',
    tag: 'sessions',
    summary: "Files changed by approved asks and by the agent's tool calls, newest first, each listed once",
    status: 200,
    params: ById,
    response: () => z.object({ files: z.array(SessionFile) }),
  }),
  addMessage: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/messages',
    tag: 'sessions',
    summary: 'Add a message to a session',
    status: 201,
    params: ById,
    body: () => z.strictObject({ role: MessageRole, content: MessageContent }),
    response: Message,
  }),
  cancelSession: endpoint({
    method: 'DELETE',
    path: '/api/sessions/{id}',
    tag: 'sessions',
    summary: 'Cancel a session',
    status: 200,
    params: ById,
    query: () => z.strictObject({ reason: z.string().max(2000).optional() }),
    response: Session,
  }),
  pauseSession: move('pause', 'Pause a session'),
  resumeSession: move('resume', 'Resume a paused session'),
  completeSession: move('complete', 'End a session normally'),
  interruptSession: move('interrupt', 'The agent is lost; its session can be recovered'),
  recoverSession: move('recover', 'Recover an interrupted session'),
  failSession: move('fail', "The agent reports that it can't continue"),
  terminateSession: move('terminate', 'Force stop a session'),
  restartSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/restart',
    tag: 'sessions',
    summary: 'Continue as a new session of the same lineage',
    status: 201,
    params: ById,
    body: () =>
      z.strictObject({
        prompt: z.string().max(1_000_000).optional(),
        checkpointId: CheckpointId.optional().meta({
          description: 'Continue from this checkpoint: its prompt, mode, progress and queue.',
        }),
      }),
    response: Session,
  }),
  setOperationalMode: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/operational-mode',
    tag: 'sessions',
    summary: "Set where a session's asks are announced, besides inbox and command line",
    status: 200,
    params: ById,
    body: () => z.strictObject({ mode: OperationalMode }),
    response: Session,
  }),
  cancelTurn: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/turn/cancel',
    tag: 'sessions',
    summary: "Cancel the agent's turn; the session stays open",
    status: 200,
    params: ById,
    response: () => z.object({ cancelled: z.boolean().meta({ description: 'Whether there was a turn to cancel.' }) }),
  }),
  setAgentMode: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/mode',
    tag: 'sessions',
    summary: "Set the agent's mode",
    status: 200,
    params: ById,
    body: () => z.strictObject({ modeId: z.string().max(200) }),
    response: AgentState,
  }),
  setAgentOption: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/options',
    tag: 'sessions',
    summary: "Set one of the agent's options",
    status: 200,
    params: ById,
    body: () => z.strictObject({ optionId: z.string().max(200), value: z.union([z.string().max(1000), z.boolean()]) }),
    response: AgentState,
  }),
  exportSession: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/export',
    tag: 'sessions',
    summary: 'Export the session as a document',
    status: 200,
    params: ById,
    query: () => z.strictObject({ format: z.enum(['markdown', 'json']).default('markdown') }),
    response: () => z.string().meta({ description: 'text/markdown' }),
  }),
  sessionErrors: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/stderr',
    tag: 'sessions',
    summary: "The end of the agent's error output",
    status: 200,
    params: ById,
    response: () => z.object({ text: z.string() }),
  }),
  diagnoseSession: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/diagnosis',
    tag: 'sessions',
    summary: 'Why notifications do not arrive, if they do not',
    status: 200,
    params: ById,
    response: Diagnosis,
  }),
  searchMessages: endpoint({
    method: 'GET',
    path: '/api/messages',
    tag: 'sessions',
    summary: 'Full-text search over the messages of sessions that you can see, newest first',
    status: 200,
    query: () =>
      z.strictObject({
        q: z.string().min(1).max(500),
        session: SessionId.optional(),
        limit: limit(100, 20),
      }),
    response: () =>
      z.object({
        messages: z.array(
          Message.extend({
            snippet: z.string(),
            sessionTitle: z.string().meta({ description: 'The title of its session, as in the inbox.' }),
          }),
        ),
        more: z.boolean().meta({ description: 'Whether there are more, older matches.' }),
      }),
  }),
  handOverSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/handover',
    tag: 'sessions',
    summary: 'Continue with another agent, which is told what was said, planned and changed; this session ends',
    status: 201,
    params: ById,
    body: () =>
      z.strictObject({
        agent: z.string().min(1).max(200),
        prompt: z.string().min(1).max(100_000).optional().meta({ description: 'What to do next.' }),
        model: z.string().min(1).max(200).optional(),
        effort: z.string().min(1).max(200).optional(),
        tokens: z.int().min(500).max(50_000).default(8000).meta({ description: 'How much it is told, about.' }),
      }),
    response: Session,
  }),
  forkSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/fork',
    tag: 'sessions',
    summary: 'A new session that continues from a copy of the conversation, if the agent supports it',
    status: 201,
    params: ById,
    body: () =>
      z.strictObject({ prompt: z.string().min(1).max(1_000_000).optional(), worktree: z.boolean().default(false) }),
    response: Session,
  }),
  listConversations: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/conversations',
    tag: 'sessions',
    summary: 'Conversations that the agent has stored for this workspace, if it supports that',
    status: 200,
    params: ById,
    response: () => z.object({ conversations: Json }),
  }),
  heartbeat: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/heartbeat',
    tag: 'sessions',
    summary: 'A heartbeat from the agent',
    status: 200,
    params: ById,
    body: () => z.strictObject({ tool: z.string().max(200).nullable().default(null) }),
    response: () => z.object({ acknowledged: z.literal(true) }),
  }),
  listAllowances: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/allowances',
    tag: 'sessions',
    summary: 'What people allowed for the whole session, newest first',
    status: 200,
    params: () => z.object({ id: SessionId }),
    response: () => z.object({ allowances: z.array(Allowance) }),
  }),
  revokeAllowance: endpoint({
    method: 'DELETE',
    path: '/api/sessions/{id}/allowances/{allowanceId}',
    tag: 'sessions',
    summary: 'Ask again for what was allowed for the session',
    status: 200,
    params: () => z.object({ id: SessionId, allowanceId: AskId }),
    response: () => z.object({ allowances: z.array(Allowance) }),
  }),
  delegateSession: endpoint({
    method: 'PUT',
    path: '/api/sessions/{id}/delegates/{userId}',
    tag: 'sessions',
    summary: 'Let another person act on your session',
    status: 200,
    params: () => z.object({ id: SessionId, userId: UserId }),
    response: SessionDetail,
  }),
  undelegateSession: endpoint({
    method: 'DELETE',
    path: '/api/sessions/{id}/delegates/{userId}',
    tag: 'sessions',
    summary: 'End a delegation; delegates can also end their own',
    status: 200,
    params: () => z.object({ id: SessionId, userId: UserId }),
    response: () => z.object({ id: SessionId, userId: UserId, delegated: z.literal(false) }),
  }),
}
