import * as z from 'zod'
import { Session } from '../../domain/session/schema.ts'
import { Json } from '../../lib/json.ts'
import { clientNames } from '../../lib/mcp-clients/client-names.ts'
import { endpoint } from '../endpoint.ts'

/** A way in which an agent lets people sign in. */
export const SignInMethod = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    variables: z.array(z.string()).meta({ description: 'Variables with keys that it reads to sign in.' }),
    key: z.boolean().meta({ description: 'It takes an API key.' }),
    command: z
      .string()
      .nullable()
      .meta({ description: 'The command that the agent proposes. Look at it before you run it.' }),
  })
  .meta({ id: 'SignInMethod' })
export type SignInMethod = z.infer<typeof SignInMethod>

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
    ready: z.boolean().nullable().meta({
      description: 'Whether it opened a session; false: somebody must sign in first. Null if it was not asked.',
    }),
    signIn: z.array(SignInMethod).meta({ description: 'Ways to sign in, as the agent offers them.' }),
    loginCommand: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The program and arguments with which people sign in, in a terminal.' }),
    isolation: z
      .enum(['none', 'sandbox', 'container'])
      .meta({ description: 'How it would be confined if it were started now.' }),
    install: z.string().meta({ description: 'How to install it.' }),
    installCommand: z.string().nullable().meta({ description: 'The command that installs it, if there is one.' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'AgentInfo' })
export type AgentInfo = z.infer<typeof AgentInfo>

export const McpClient = z
  .object({
    client: z.enum(clientNames),
    title: z.string(),
    path: z.string().meta({ description: 'Its configuration file, for all projects of the user the server runs as.' }),
    state: z
      .enum(['absent', 'other', 'current', 'unreadable'])
      .meta({ description: '`other`: it names another Signalbox, or an older entry.' }),
    text: z.string().meta({ description: 'What is written there.' }),
    next: z.string().meta({ description: 'What to do then.' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'McpClient' })
export type McpClient = z.infer<typeof McpClient>

const ByClient = () => z.object({ client: z.enum(clientNames) })

export const agentEndpoints = {
  listMcpClients: endpoint({
    method: 'GET',
    path: '/api/mcp-clients',
    tag: 'agents',
    summary: "Programs that connect over MCP, and whether the server's user has them connected to this server",
    status: 200,
    response: () => z.object({ clients: z.array(McpClient) }),
  }),
  connectMcpClient: endpoint({
    method: 'POST',
    path: '/api/mcp-clients/{client}/connect',
    tag: 'agents',
    summary: "Write this server into the client's configuration; everything else in the file stays",
    status: 200,
    params: ByClient,
    body: () => z.strictObject({}),
    response: McpClient,
  }),
  disconnectMcpClient: endpoint({
    method: 'POST',
    path: '/api/mcp-clients/{client}/disconnect',
    tag: 'agents',
    summary: "Remove this server from the client's configuration",
    status: 200,
    params: ByClient,
    body: () => z.strictObject({}),
    response: McpClient,
  }),
  listAgents: endpoint({
    method: 'GET',
    path: '/api/agents',
    tag: 'agents',
    summary: 'Agents that can be started here; with probe, each installed one is started briefly and checked',
    status: 200,
    query: () =>
      z.strictObject({
        probe: z.enum(['true', 'false', 'session']).default('false').meta({
          description: 'Two are started at a time; the others wait. `session`: each is also asked for a session.',
        }),
        name: z.string().max(200).optional().meta({ description: 'Only the agent of this name.' }),
      }),
    response: () => z.object({ agents: z.array(AgentInfo) }),
  }),
  signInAgent: endpoint({
    method: 'POST',
    path: '/api/agents/{name}/sign-in',
    tag: 'agents',
    summary: 'Sign in an agent with one of its methods, then ask it for a session',
    status: 200,
    params: () => z.object({ name: z.string().max(200) }),
    body: () =>
      z.strictObject({
        methodId: z.string().min(1).max(200),
        variables: z
          .record(z.string().max(200), z.string().max(10_000))
          .default({})
          .meta({ description: 'Values for variables that the method names. The agent gets them; nothing is stored.' }),
        key: z.string().max(10_000).optional().meta({ description: 'For a method that takes an API key.' }),
      }),
    response: () =>
      z.object({
        ready: z.boolean().meta({ description: 'Whether a new process of the agent then opened a session.' }),
        error: z.string().nullable(),
      }),
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
    summary: 'Start the practice agent, or another, in a small repo for practice, which is created if it is missing',
    status: 201,
    body: () =>
      z.strictObject({
        agent: z.string().min(1).max(200).optional().meta({ description: 'Another agent, to try it there.' }),
      }),
    response: Session,
  }),
}
