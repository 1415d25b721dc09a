import * as z from 'zod'
import { fail, ok, type Result } from '../../lib/result.ts'
import { containerConfigFields } from '../agent-group/container-config.ts'
import { agentGroupFields } from '../agent-group/schema.ts'
import { WiringId } from '../chat/id.ts'
import { newDestination, newWiring, wiringSettings } from '../chat/schema.ts'
import { AgentGroupId, UserId } from '../user/id.ts'

const { provider, model, effort, assistantName, maxMessagesPerPrompt, skills, networkHosts, additionalMounts } =
  containerConfigFields

/**
 * What an agent may ask for with the command line (C10). Roles, tokens, policies, asks and the limits of the agent itself
 * are not among it, so no approval can give them to it by mistake.
 */
export const AdminCommand = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('member.add'), userId: UserId, agentGroupId: AgentGroupId }),
  z.strictObject({ type: z.literal('member.remove'), userId: UserId, agentGroupId: AgentGroupId }),
  z.strictObject({ type: z.literal('wiring.add'), id: WiringId, ...newWiring }),
  z.strictObject({ type: z.literal('wiring.update'), id: WiringId, ...z.object(wiringSettings).partial().shape }),
  z.strictObject({ type: z.literal('destination.add'), ...newDestination }),
  z.strictObject({
    type: z.literal('agent_group.update'),
    id: AgentGroupId,
    ...z.object({ name: agentGroupFields.name, model: agentGroupFields.model }).partial().shape,
  }),
  z.strictObject({
    type: z.literal('agent_group.configure'),
    id: AgentGroupId,
    ...z
      .object({
        provider,
        model,
        effort,
        assistantName,
        maxMessagesPerPrompt,
        skills,
        networkHosts,
        additionalMounts,
      })
      .partial().shape,
  }),
])
export type AdminCommand = z.infer<typeof AdminCommand>

/** The agent group that a command says it is about; null for a wiring, which is looked up. */
export const groupOfCommand = (command: AdminCommand): AgentGroupId | null => {
  switch (command.type) {
    case 'wiring.update':
      return null
    case 'agent_group.update':
    case 'agent_group.configure':
      return command.id
    default:
      return command.agentGroupId
  }
}

/** The fields a command sets on something that exists already. */
export function fieldsSet(command: AdminCommand): string[] {
  if (
    command.type !== 'wiring.update' &&
    command.type !== 'agent_group.update' &&
    command.type !== 'agent_group.configure'
  )
    return []
  return Object.entries(command).flatMap(([name, value]) =>
    name === 'type' || name === 'id' || value === undefined ? [] : [name],
  )
}

/** The same refusal whether it names another group or nothing that exists. */
export const notForAgents = fail({
  kind: 'forbidden',
  code: 'agents_may_not',
  message: "An agent's token can't do this.",
  hint: 'A person must do it.',
})

/** The command, if it is one that an agent of this group may ask for. */
export function misfitCommand(command: unknown, group: AgentGroupId): Result<AdminCommand> {
  const read = AdminCommand.safeParse(command)
  if (!read.success) return notForAgents
  const about = groupOfCommand(read.data)
  if (about !== null && about !== group) return notForAgents
  return ok(read.data)
}
