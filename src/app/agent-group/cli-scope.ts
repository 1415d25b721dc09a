import type { Executor } from '../../db/open.ts'
import { cliScopeOfSession } from '../../domain/agent-group/store-container-config.ts'
import type { Standing } from '../../domain/user/actor.ts'
import { loadStanding } from '../../domain/user/store.ts'
import { ok, type Result } from '../../lib/result.ts'
import { forbid } from '../rules.ts'

/** A caller's roles and, for an agent of an agent group, how far its group lets it use the API. */
export async function standingOf(db: Executor, actor: Standing['actor']): Promise<Standing> {
  const standing = await loadStanding(db, actor)
  if (actor.kind !== 'agent' || actor.sessionId === null) return standing
  const cli = await cliScopeOfSession(db, actor.sessionId)
  return cli === null ? standing : { ...standing, cli }
}

/**
 * C10: as whom an agent uses the API. With `disabled` as nobody; with `global` it reads as its person does. Whatever it
 * changes, it changes as the agent it is, so that it never answers asks or changes policy, roles or tokens.
 */
export function apiStanding(standing: Standing, reads: boolean): Result<Standing> {
  const { actor, cli, behind } = standing
  if (actor.kind !== 'agent' || cli === undefined) return ok(standing)
  if (cli.scope === 'disabled')
    return forbid(
      'cli_disabled',
      "Agents of this agent group can't use the API or the command line.",
      "Use Signalbox's tools (MCP). An admin of the group can change this: signalbox groups config.",
    )
  if (cli.scope !== 'global' || !reads || behind === undefined) return ok(standing)
  return ok({ actor: { kind: 'person', userId: actor.userId, scope: 'read' }, ...behind, unknown: standing.unknown })
}

/** The agent group whose rows an agent may read; null for everyone else. */
export const readsAsAgentOf = ({ actor, cli }: Standing) =>
  actor.kind === 'agent' && cli !== undefined && cli.scope !== 'disabled' ? cli.agentGroupId : null
