import * as z from 'zod'
import { AgentLife } from '../../domain/agent/about.ts'
import { Session, SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'

const ById = z.object({ id: SessionId })

/** The processes of a session's agent: sleep, wake, restart. */
export const agentLifeEndpoints = {
  sleepSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/sleep',
    tag: 'sessions',
    summary: 'End the idle agent of a session and keep its conversation; its slot is free until a prompt wakes it',
    status: 200,
    params: ById,
    body: () => z.strictObject({}),
    response: Session,
  }),
  wakeSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/wake',
    tag: 'sessions',
    summary: 'Start the agent of a session that is asleep',
    status: 200,
    params: ById,
    body: () => z.strictObject({}),
    response: Session,
  }),
  restartAgent: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/restart-agent',
    tag: 'sessions',
    summary: "End the agent's process and start another one for the same session, with the same conversation",
    status: 200,
    params: ById,
    body: () =>
      z.strictObject({
        onWake: z.string().min(1).max(1_000_000).optional().meta({
          description: 'The first prompt for the new process. The old one never gets it.',
        }),
      }),
    response: Session,
  }),
  agentLives: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/agent-lives',
    tag: 'sessions',
    summary: "The last 20 processes of a session's agent, oldest first, with the end of their error output",
    status: 200,
    params: ById,
    response: () => z.object({ lives: z.array(AgentLife) }),
  }),
}
