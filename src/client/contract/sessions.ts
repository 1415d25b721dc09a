import * as z from 'zod'
import { Message, MessageContent, MessageRole } from '../../domain/message/schema.ts'
import { OperationalMode, ProtocolMode, Session, SessionId } from '../../domain/session/schema.ts'
import { sessionStatuses } from '../../domain/session/status.ts'
import { UserId } from '../../domain/user/id.ts'
import { Repo, RepoId } from '../../domain/workspace/schema.ts'
import { Json } from '../../lib/json.ts'
import { endpoint } from '../endpoint.ts'
import { PageCursor, count, limit, listOf, time } from './parts.ts'

const ById = z.object({ id: SessionId })
const Reason = z.strictObject({ reason: z.string().max(2000).nullable().default(null) })

export const SessionDetail = Session.extend({
  repo: Repo.nullable(),
  messages: z.array(Message),
  lineage: z.array(SessionId).meta({ description: 'From the first session to its last successor.' }),
  delegates: z.array(UserId),
}).meta({ id: 'SessionDetail' })
export type SessionDetail = z.infer<typeof SessionDetail>

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
    summary: 'Sessions you may see, newest first, without their messages; long prompts are shortened',
    status: 200,
    query: z.strictObject({
      repoId: RepoId.optional(),
      status: listOf(sessionStatuses).optional(),
      limit: limit(100, 20),
      offset: count(0, 1_000_000_000, 0),
      before: PageCursor.optional(),
    }),
    response: z.object({
      sessions: z.array(Session),
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
    summary: 'Start a session: one of an agent we spawn (acp), or of an agent that connects to us (mcp)',
    status: 201,
    body: z.strictObject({
      id: SessionId.optional(),
      protocolMode: ProtocolMode.default('acp'),
      repoId: RepoId.optional(),
      workspaceRoot: z.string().max(4096).optional(),
      agent: z.string().max(200).optional(),
      prompt: z.string().max(1_000_000).optional(),
      mode: OperationalMode.default('remote'),
      metadata: z
        .record(z.string().max(200), Json)
        .default({})
        .refine((value) => JSON.stringify(value).length <= 65_536, 'must be at most 64 KiB of JSON'),
    }),
    response: Session,
  }),
  getSession: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}',
    tag: 'sessions',
    summary: 'A session with its repo, lineage and all messages in order',
    status: 200,
    params: ById,
    response: SessionDetail,
  }),
  listMessages: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/messages',
    tag: 'sessions',
    summary: 'Messages of a session in order, strictly after a time where given',
    status: 200,
    params: ById,
    query: z.strictObject({ since: time.optional() }),
    response: z.array(Message),
  }),
  addMessage: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/messages',
    tag: 'sessions',
    summary: 'Add a message to a session',
    status: 201,
    params: ById,
    body: z.strictObject({ role: MessageRole, content: MessageContent }),
    response: Message,
  }),
  cancelSession: endpoint({
    method: 'DELETE',
    path: '/api/sessions/{id}',
    tag: 'sessions',
    summary: 'Cancel a session',
    status: 200,
    params: ById,
    query: z.strictObject({ reason: z.string().max(2000).optional() }),
    response: Session,
  }),
  pauseSession: move('pause', 'Pause a session'),
  resumeSession: move('resume', 'Let a paused session go on'),
  completeSession: move('complete', 'End a session in order'),
  interruptSession: move('interrupt', 'The agent is lost; its session can be recovered'),
  recoverSession: move('recover', 'Take up an interrupted session again'),
  failSession: move('fail', 'The agent reports that it can not go on'),
  terminateSession: move('terminate', 'Stop a session by force'),
  restartSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/restart',
    tag: 'sessions',
    summary: 'Continue as a new session of the same lineage',
    status: 201,
    params: ById,
    body: z.strictObject({ prompt: z.string().max(1_000_000).optional() }),
    response: Session,
  }),
  heartbeat: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/heartbeat',
    tag: 'sessions',
    summary: 'A sign of life of the agent',
    status: 200,
    params: ById,
    body: z.strictObject({ tool: z.string().max(200).nullable().default(null) }),
    response: z.object({ acknowledged: z.literal(true) }),
  }),
  delegateSession: endpoint({
    method: 'PUT',
    path: '/api/sessions/{id}/delegates/{userId}',
    tag: 'sessions',
    summary: 'Let another person act on your session',
    status: 200,
    params: z.object({ id: SessionId, userId: UserId }),
    response: SessionDetail,
  }),
  undelegateSession: endpoint({
    method: 'DELETE',
    path: '/api/sessions/{id}/delegates/{userId}',
    tag: 'sessions',
    summary: 'Take that back; who was let may also give it back',
    status: 200,
    params: z.object({ id: SessionId, userId: UserId }),
    response: z.object({ id: SessionId, userId: UserId, delegated: z.literal(false) }),
  }),
}
