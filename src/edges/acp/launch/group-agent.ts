import { constants } from 'node:fs'
import { lchown, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BindMount } from '../../../lib/container/spec.ts'
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

/** The group's folder where an agent is confined: instructions and skills read-only, memory writable and not replaceable. */
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

/** The same for a container, where an empty directory covers what is hidden. */
export const groupBinds = (mounts: readonly Mount[], empty: string): BindMount[] =>
  mounts.map((mount) =>
    'from' in mount
      ? { from: mount.from, to: mount.at, write: mount.kind === 'write' }
      : { from: empty, to: mount.at, write: false },
  )

const shared: readonly (readonly [name: string, mode: number])[] = [
  ['.', 0o755],
  ['skills', 0o755],
  ['.claude', 0o755],
  ['CLAUDE.md', 0o644],
  ['AGENTS.md', 0o644],
  ['memory', 0o777],
]

/**
 * A server of root makes the folder, and agents run as other users too: in a container as the owner of the workspace, in a
 * sandbox as root without its rights. Nobody else gets past the directory around it.
 */
export async function shareGroupFolder({ folder }: AgentOfGroup, uid: number, gid: number): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { mode: around } = await stat(dirname(folder))
  const isClosed = (around & 0o077) === 0
  for (const [name, mode] of shared) {
    const path = join(folder, name)
    // Somebody opened the directory around it: only one user at a time then, or everybody could write to its memory.
    await (isClosed ? setMode(path, mode) : lchown(path, uid, gid)).catch(() => {})
  }
}

/** Agents that work in the folder may put a link in its place. */
async function setMode(path: string, mode: number): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  await file.chmod(mode)
}
