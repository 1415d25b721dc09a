import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { UserId } from '../user/id.ts'
import type { ChatInstance, InstanceChange, InstanceCommand } from './schema.ts'

export type InstanceFacts = {
  readonly instance: Pick<ChatInstance, 'id' | 'platform' | 'name' | 'wanted' | 'removedAt'> | undefined
  /** The instance that has the wanted name. */
  readonly named: Pick<ChatInstance, 'id' | 'platform' | 'removedAt'> | undefined
  /** The workspace that the instance, or the one with that name, is or was in. */
  readonly workspace: string | null
  readonly by: UserId | null
}

export function decideInstance(
  { instance, named, workspace, by }: InstanceFacts,
  command: InstanceCommand,
): Result<InstanceChange[]> {
  if (command.type === 'instance.add') {
    const { platform, name, title, credentials, settings } = command
    const elsewhere = named && otherWorkspace(workspace, command)
    // One that is added again keeps its id and its chats.
    if (named && (named.removedAt === null || named.platform !== platform))
      return fail({
        kind: 'conflict',
        code: 'instance_exists',
        message: `The name ${name} is already taken.`,
        hint: 'Use another name, or update the account that has it.',
        details: { instanceId: named.id },
      })
    if (elsewhere) return elsewhere
    const id = named?.id ?? command.id
    const body = { title, credentials, settings, by, workspace: command.workspace }
    return ok([{ type: 'instance.added', data: { id, platform, name }, body }])
  }
  if (!instance || instance.removedAt !== null) return notFound('instance', command.id)
  const { id } = instance
  switch (command.type) {
    case 'instance.update': {
      const { type: _type, id: _id, ...wanted } = command
      const elsewhere = otherWorkspace(workspace, command)
      if (elsewhere) return elsewhere
      const body = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
      const fields = Object.keys(body).filter((field) => field !== 'workspace')
      return ok([{ type: 'instance.updated', data: { id, fields }, body }])
    }
    case 'instance.start':
      return ok(instance.wanted === 'running' ? [] : [{ type: 'instance.started', data: { id } }])
    case 'instance.stop':
      return ok(instance.wanted === 'stopped' ? [] : [{ type: 'instance.stopped', data: { id } }])
    case 'instance.remove':
      return ok([{ type: 'instance.removed', data: { id } }])
    default:
      return command satisfies never
  }
}

/**
 * Ids of people are those of their workspace. In another one they belong to other people, who must not become those that
 * are linked here. Before the platform was asked, credentials are empty.
 */
function otherWorkspace(
  known: string | null,
  { credentials, workspace }: { credentials?: string | undefined; workspace?: string | null | undefined },
): Failed | null {
  if (known === null || !credentials || workspace === known) return null
  return fail(
    !workspace
      ? {
          kind: 'conflict',
          code: 'workspace_unknown',
          message: 'These credentials were not checked, so they may be for another workspace.',
          hint: 'Leave out the option that skips the check, or use another name.',
        }
      : {
          kind: 'conflict',
          code: 'other_workspace',
          message: 'These credentials are for another workspace, not the one that this account was in.',
          hint: 'Add it under another name. People there link their own accounts.',
        },
  )
}
