import type { GroupSettings } from '../../../app/agent-group/settings.ts'
import type { AgentDefinition, JsonTable } from './definition.ts'
import type { Mount } from './mounts.ts'
import { isWithin } from './paths.ts'

/** The agent group that an agent runs for, and where its folder is. */
export type AgentOfGroup = {
  readonly settings: GroupSettings
  /** With links resolved. */
  readonly folder: string
  /** Names in `skills` that its agents don't see. */
  readonly hiddenSkills: readonly string[]
}

/** An agent with what its session or its agent group adds: MCP servers, and the model if the agent takes it from a variable. */
export function withChoices(
  agent: AgentDefinition,
  choices: { readonly model: string | null; readonly effort: string | null },
  group: AgentOfGroup | null,
): AgentDefinition {
  const added = group?.settings.mcpServers ?? []
  const names = new Set(added.map(({ name }) => name))
  const { model, effort } = choices
  return {
    ...agent,
    mcpServers: [...agent.mcpServers.filter(({ name }) => !names.has(name)), ...added],
    env: {
      ...agent.env,
      ...(model !== null && agent.modelEnv !== null && { [agent.modelEnv]: model }),
      ...(effort !== null && agent.effortEnv !== null && { [agent.effortEnv]: effort }),
    },
    jsonEnv: model === null ? agent.jsonEnv : withModel(agent, model),
    choices,
    ...(group && { group }),
  }
}

function withModel({ jsonEnv, modelJsonEnv }: AgentDefinition, model: string): AgentDefinition['jsonEnv'] {
  if (modelJsonEnv === null) return jsonEnv
  const table: JsonTable = { ...jsonEnv[modelJsonEnv], model }
  return { ...jsonEnv, [modelJsonEnv]: table }
}

/** The group's folder in a sandbox: instructions and skills read-only, memory writable and not replaceable. */
export function groupMounts(group: AgentOfGroup | undefined, workspace: string): Mount[] {
  if (!group) return []
  const { folder, hiddenSkills } = group
  const inside = isWithin(folder, workspace)
  return [
    inside
      ? { kind: 'read', at: `${folder}/skills`, from: `${folder}/skills` }
      : { kind: 'read', at: folder, from: folder },
    { kind: 'write', at: `${folder}/memory`, from: `${folder}/memory`, pinned: true },
    ...hiddenSkills.map((name): Mount => ({ kind: 'hide', at: `${folder}/skills/${name}` })),
  ]
}
