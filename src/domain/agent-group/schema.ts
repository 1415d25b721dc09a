import * as z from 'zod'
import type { ChatChange } from '../chat/schema.ts'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId } from '../user/id.ts'
import { RepoId } from '../workspace/id.ts'
import { containerConfigFields, type ContainerConfig, type ContainerConfigFields } from './container-config.ts'

export { AgentGroupId }
export * from './container-config.ts'

/** A configured agent that people write to in chats. */
export const AgentGroup = z
  .object({
    id: AgentGroupId,
    name: z.string(),
    folder: z.string(),
    agentProvider: z.string().nullable(),
    repoId: RepoId.nullable(),
    workspaceRoot: z.string().nullable(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
    createdAt: z.iso.datetime(),
    removedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AgentGroup' })
export type AgentGroup = z.infer<typeof AgentGroup>

const word = z.string().max(200).nullable()

/** What people choose for an agent group. */
export const agentGroupFields = {
  name: z.string().trim().min(1).max(200),
  agentProvider: word,
  repoId: RepoId.nullable(),
  /** Its real path; sessions there need the machine right, unless it is a repo. */
  workspaceRoot: z.string().max(4096).startsWith('/', 'must be an absolute path').nullable(),
  agent: word,
  model: word,
}

export const instructionsText = z.string().max(200_000)

export const newAgentGroup = {
  name: agentGroupFields.name,
  folder: z
    .string()
    .max(80)
    .regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be one word: small letters, digits, dots and dashes')
    .nullable()
    .default(null)
    .meta({ description: 'Default: derived from the name.' }),
  agentProvider: agentGroupFields.agentProvider.default(null),
  repoId: agentGroupFields.repoId.default(null),
  workspaceRoot: agentGroupFields.workspaceRoot.default(null),
  agent: agentGroupFields.agent.default(null),
  model: agentGroupFields.model.default(null),
  config: z
    .strictObject(containerConfigFields)
    .partial()
    .optional()
    .meta({ description: 'How it runs; omitted fields get their defaults.' }),
}

export const AgentGroupCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent_group.create'), id: AgentGroupId, ...newAgentGroup }),
  z.object({
    type: z.literal('agent_group.update'),
    id: AgentGroupId,
    ...z.object(agentGroupFields).partial().shape,
  }),
  z.object({
    type: z.literal('agent_group.configure'),
    id: AgentGroupId,
    ...z.object(containerConfigFields).partial().shape,
  }),
  /** What its agents are told; they read it and can't change it. */
  z.object({ type: z.literal('agent_group.instruct'), id: AgentGroupId, text: instructionsText }),
  z.object({ type: z.literal('agent_group.remove'), id: AgentGroupId }),
])
export type AgentGroupCommand = z.infer<typeof AgentGroupCommand>

/** Events about agent groups. */
export const agentGroupEvents = {
  'agent_group.created': () => z.object({ id: AgentGroupId, folder: z.string() }),
  'agent_group.updated': () => z.object({ id: AgentGroupId, fields: z.array(z.string()) }),
  'agent_group.configured': () => z.object({ id: AgentGroupId, fields: z.array(z.string()) }),
  'agent_group.instructed': () => z.object({ id: AgentGroupId, hash: z.string(), length: z.int() }),
  'agent_group.removed': () => z.object({ id: AgentGroupId }),
}
type Data = DataOf<typeof agentGroupEvents>

/** What people chose, and what follows from who they are. */
export type ConfigBody = Partial<ContainerConfigFields & Pick<ContainerConfig, 'vouchedServers'>>

type Contents = Omit<AgentGroup, 'id' | 'createdAt' | 'removedAt'>

export type AgentGroupChange =
  | {
      type: 'agent_group.created'
      data: Data['agent_group.created']
      body: Contents & { config: ConfigBody }
    }
  | { type: 'agent_group.updated'; data: Data['agent_group.updated']; body: Partial<Contents> }
  | { type: 'agent_group.configured'; data: Data['agent_group.configured']; body: ConfigBody }
  | { type: 'agent_group.instructed'; data: Data['agent_group.instructed']; body: { text: string } }
  | { type: 'agent_group.removed'; data: Data['agent_group.removed'] }

/** Removing a group removes its wirings and destinations. */
export type AgentGroupMade = AgentGroupChange | ChatChange
