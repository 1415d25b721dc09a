import {
  containerConfigFields,
  defaultContainerConfig,
  type ContainerConfigFields,
} from '../../domain/agent-group/container-config.ts'
import { isRecord, jsonOrNull } from '../../lib/parse-json.ts'
import type { SeedRow } from './rows.ts'

type Field = keyof ContainerConfigFields

const parsed = (text: string | null): unknown =>
  text === null ? null : jsonOrNull(text, (value) => value !== undefined)

/** There a path inside is relative to a folder for extra mounts. */
function mountOf(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { hostPath, containerPath } = value
  const inside = typeof containerPath === 'string' && containerPath !== '' ? containerPath : null
  return {
    hostPath,
    containerPath: inside === null || inside.startsWith('/') ? inside : `/workspace/extra/${inside}`,
    readOnly: (value['readonly'] ?? value['readOnly'] ?? true) !== false,
  }
}

function serverOf(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { command, args, env, url, headers } = value
  return typeof url === 'string'
    ? { url, ...(isRecord(headers) && { headers }) }
    : { command, ...(args !== undefined && { args }), ...(isRecord(env) && { env }) }
}

/** Elements one by one, so that one that can't be used does not cost the others. */
function usable<T>(field: Field, values: readonly T[], fits: (value: T) => unknown): { kept: T[]; lost: T[] } {
  const kept = values.filter((value) => containerConfigFields[field].safeParse(fits(value)).success)
  const lost = values.filter((value) => !kept.includes(value))
  return { kept, lost }
}

/** A row of the seed as we keep it, and what could not be taken over as it was. */
export function configOf(row: SeedRow<'container_configs'>): {
  given: Partial<ContainerConfigFields>
  changed: string[]
} {
  const changed: string[] = []
  const given: Partial<Record<Field, unknown>> = {}
  const take = (field: Field, column: string, value: unknown) => {
    if (value === null || value === undefined) return
    const checked = containerConfigFields[field].safeParse(value)
    if (checked.success) given[field] = checked.data
    else changed.push(`${column} can't be used, and has its default: ${JSON.stringify(defaultContainerConfig[field])}`)
  }
  const takeList = (field: 'packagesApt' | 'packagesNpm' | 'additionalMounts', column: string, text: string | null) => {
    const list = parsed(text)
    if (!Array.isArray(list)) return take(field, column, text === null ? null : list)
    const converted = field === 'additionalMounts' ? list.map(mountOf) : list
    const { kept, lost } = usable(field, converted, (value) => [value])
    take(field, column, kept)
    for (const one of lost) changed.push(`${column}: left out ${JSON.stringify(one)}`)
  }
  take('provider', 'provider', row.provider)
  take('model', 'model', row.model)
  take('effort', 'effort', row.effort)
  take('imageTag', 'image_tag', row.image_tag)
  take('assistantName', 'assistant_name', row.assistant_name)
  take('maxMessagesPerPrompt', 'max_messages_per_prompt', row.max_messages_per_prompt)
  take('skills', 'skills', parsed(row.skills))
  take('cliScope', 'cli_scope', row.cli_scope)
  takeList('packagesApt', 'packages_apt', row.packages_apt)
  takeList('packagesNpm', 'packages_npm', row.packages_npm)
  takeList('additionalMounts', 'additional_mounts', row.additional_mounts)
  const servers = parsed(row.mcp_servers)
  if (isRecord(servers)) {
    const converted = Object.entries(servers).map(([name, server]) => [name, serverOf(server)] as const)
    const { kept, lost } = usable('mcpServers', converted, (one) => Object.fromEntries([one]))
    take('mcpServers', 'mcp_servers', Object.fromEntries(kept))
    // Without its contents, which may hold a key.
    for (const [name] of lost) changed.push(`mcp_servers: left out ${name}`)
  } else take('mcpServers', 'mcp_servers', row.mcp_servers === null ? null : servers)
  return { given: given as Partial<ContainerConfigFields>, changed }
}
