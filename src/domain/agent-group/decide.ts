import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { unlinked, type Links } from '../chat/decide.ts'
import { freeLocalName } from '../chat/local-name.ts'
import type {
  AgentGroup,
  AgentGroupCommand,
  AgentGroupMade,
  ConfigBody,
  ContainerConfig,
  ContainerConfigFields,
} from './schema.ts'
import { vouchedServers } from './vouched-servers.ts'

export type AgentGroupFacts = {
  readonly group: Pick<AgentGroup, 'id' | 'removedAt'> | undefined
  /** Folders of all groups, also of removed ones. */
  readonly folders: readonly string[]
  readonly repoExists: boolean
  readonly links: Links
  /** How it runs now; for a change of that. */
  readonly config: ContainerConfig | undefined
  /** The caller may run programs as the server's user. */
  readonly hasMachine: boolean
}

export function decideAgentGroup(
  { group, folders, repoExists, links, config: now, hasMachine }: AgentGroupFacts,
  command: AgentGroupCommand,
): Result<AgentGroupMade[]> {
  if ('repoId' in command && command.repoId && !repoExists) return notFound('repo', command.repoId)
  if (command.type === 'agent_group.create') {
    const { type: _type, id, folder: wanted, config, ...rest } = command
    if (group)
      return fail({ kind: 'conflict', code: 'agent_group_exists', message: `Agent group ${id} already exists.` })
    if (wanted !== null && folders.includes(wanted))
      return fail({
        kind: 'conflict',
        code: 'folder_taken',
        message: `Another agent group has the folder ${wanted}.`,
        hint: 'Use another folder, or leave it out to get one.',
      })
    const folder = wanted ?? freeLocalName([asciiOf(command.name), 'group'], folders)
    return ok([
      {
        type: 'agent_group.created',
        data: { id, folder },
        body: { ...rest, folder, config: vouched(given(config ?? {}), undefined, hasMachine) },
      },
    ])
  }
  if (!group || group.removedAt !== null) return notFound('agent_group', command.id)
  const { id } = command
  if (command.type === 'agent_group.remove')
    return ok([...unlinked(links), { type: 'agent_group.removed', data: { id } }])
  if (command.type === 'agent_group.instruct') {
    const { text } = command
    const data = { id, hash: sha256(text), length: text.length }
    return ok([{ type: 'agent_group.instructed', data, body: { text } }])
  }
  const { type: _type, id: _id, ...wanted } = command
  const body = given(wanted)
  const data = { id, fields: Object.keys(body) }
  if (command.type === 'agent_group.configure')
    return ok([{ type: 'agent_group.configured', data, body: vouched(body, now, hasMachine) }])
  return ok([{ type: 'agent_group.updated', data, body }])
}

const vouched = (
  fields: Partial<ContainerConfigFields>,
  now: ContainerConfig | undefined,
  hasMachine: boolean,
): ConfigBody => ({
  ...fields,
  ...(fields.mcpServers && { vouchedServers: vouchedServers(fields.mcpServers, now, hasMachine) }),
})

const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

/** Folders are names of directories: small letters and digits only. */
const asciiOf = (name: string): string => name.normalize('NFKD').replaceAll(/[^\x20-\x7e]/g, '')
