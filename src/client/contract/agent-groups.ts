import * as z from 'zod'
import { ContainerConfig, containerConfigFields, GroupBudget } from '../../domain/agent-group/schema.ts'
import { AgentGroupId, instructionsText } from '../../domain/agent-group/schema.ts'
import { endpoint } from '../endpoint.ts'

const GroupById = z.object({ id: AgentGroupId })

export const GroupInstructions = z
  .object({
    text: z.string().meta({ description: 'What its agents read as CLAUDE.md and AGENTS.md, and cannot change.' }),
    folder: z.string().nullable().meta({ description: 'Its directory; null without the machine right.' }),
    skills: z.array(z.string()).meta({ description: 'Directories in its folder `skills`.' }),
    memory: z.array(z.string()).meta({ description: 'What its agents keep in its folder `memory`.' }),
  })
  .meta({ id: 'GroupInstructions' })
export type GroupInstructions = z.infer<typeof GroupInstructions>

export const GroupDependents = z
  .object({
    wirings: z.int().meta({ description: 'Removed with it.' }),
    destinations: z.int().meta({ description: 'Destinations from and to it; they are removed with it.' }),
    members: z.int().meta({ description: 'Members and admins; they lose access to its sessions.' }),
    sessions: z.int().meta({ description: 'Sessions that have not ended; they stay.' }),
    folder: z
      .string()
      .nullable()
      .meta({ description: 'Its folder, which stays on the disk; null without the machine right.' }),
  })
  .meta({ id: 'GroupDependents' })
export type GroupDependents = z.infer<typeof GroupDependents>

export const GroupSpending = z
  .object({
    costUsd: z.number(),
    tokens: z.int(),
    period: GroupBudget.shape.period.unwrap(),
    since: z
      .string()
      .nullable()
      .meta({ description: 'The first day of the period, in UTC; null: from the beginning.' }),
    budget: GroupBudget.nullable(),
  })
  .meta({ id: 'GroupSpending' })
export type GroupSpending = z.infer<typeof GroupSpending>

export const agentGroupEndpoints = {
  getGroupConfig: endpoint({
    method: 'GET',
    path: '/api/agent-groups/{id}/config',
    tag: 'agent groups',
    summary: 'How an agent group runs: its model, isolation, packages, mounts, network and limits; for its admins',
    status: 200,
    params: GroupById,
    response: ContainerConfig,
  }),
  updateGroupConfig: endpoint({
    method: 'PATCH',
    path: '/api/agent-groups/{id}/config',
    tag: 'agent groups',
    summary:
      'Change how an agent group runs; what touches the machine, its cost or its network needs an admin of the server',
    status: 200,
    params: GroupById,
    body: () => z.strictObject(containerConfigFields).partial(),
    response: ContainerConfig,
  }),
  getGroupInstructions: endpoint({
    method: 'GET',
    path: '/api/agent-groups/{id}/instructions',
    tag: 'agent groups',
    summary: 'What the agents of a group are told, and what is in its folder; for its admins',
    status: 200,
    params: GroupById,
    response: GroupInstructions,
  }),
  setGroupInstructions: endpoint({
    method: 'PUT',
    path: '/api/agent-groups/{id}/instructions',
    tag: 'agent groups',
    summary: 'Change what the agents of a group are told; new sessions read it',
    status: 200,
    params: GroupById,
    body: () => z.strictObject({ text: instructionsText }),
    response: GroupInstructions,
  }),
  groupDependents: endpoint({
    method: 'GET',
    path: '/api/agent-groups/{id}/dependents',
    tag: 'agent groups',
    summary: 'What is removed with an agent group, and what stays; for its admins',
    status: 200,
    params: GroupById,
    response: GroupDependents,
  }),
  groupSpending: endpoint({
    method: 'GET',
    path: '/api/agent-groups/{id}/spending',
    tag: 'agent groups',
    summary: "What the sessions of an agent group have cost in its budget's period, or this month; for its admins",
    status: 200,
    params: GroupById,
    response: GroupSpending,
  }),
}
