import * as z from 'zod'
import { Session } from '../../domain/session/schema.ts'
import { Json } from '../../lib/json.ts'
import { endpoint } from '../endpoint.ts'

export const AgentInfo = z
  .object({
    name: z.string(),
    title: z.string(),
    command: z.string(),
    isDefault: z.boolean(),
    installed: z.boolean(),
    version: z.string().nullable(),
    answers: z.boolean().nullable().meta({ description: 'Whether it answers initialize; null if it was not asked.' }),
    protocolVersion: z.int().nullable(),
    capabilities: Json,
    authMethods: Json,
    isolation: z
      .enum(['none', 'sandbox', 'container'])
      .meta({ description: 'How it would be confined if it were started now.' }),
    install: z.string().meta({ description: 'How to install it.' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'AgentInfo' })
export type AgentInfo = z.infer<typeof AgentInfo>

export const agentEndpoints = {
  listAgents: endpoint({
    method: 'GET',
    path: '/api/agents',
    tag: 'agents',
    summary: 'Agents that can be started here; with probe, each installed one is started briefly and checked',
    status: 200,
    query: () => z.strictObject({ probe: z.enum(['true', 'false']).default('false') }),
    response: () => z.object({ agents: z.array(AgentInfo) }),
  }),
  stopServer: endpoint({
    method: 'POST',
    path: '/api/stop',
    tag: 'system',
    summary: 'Stop the server cleanly; its agents end with it, or keep running in the keeper',
    status: 202,
    body: () => z.strictObject({ agents: z.enum(['end', 'keep']).default('end') }),
    response: () =>
      z.object({ agents: z.enum(['end', 'keep']), live: z.int().meta({ description: 'Agents running now.' }) }),
  }),
  startPractice: endpoint({
    method: 'POST',
    path: '/api/practice',
    tag: 'sessions',
    summary: 'Start the practice agent in its own small repo, which is created if it is missing',
    status: 201,
    body: () => z.strictObject({}),
    response: Session,
  }),
}
