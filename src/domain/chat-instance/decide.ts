import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { UserId } from '../user/id.ts'
import type { ChatInstance, InstanceChange, InstanceCommand } from './schema.ts'

export type InstanceFacts = {
  readonly instance: Pick<ChatInstance, 'id' | 'platform' | 'name' | 'wanted' | 'removedAt'> | undefined
  /** The instance that has the wanted name. */
  readonly named: Pick<ChatInstance, 'id' | 'platform' | 'removedAt'> | undefined
  readonly by: UserId | null
}

export function decideInstance(
  { instance, named, by }: InstanceFacts,
  command: InstanceCommand,
): Result<InstanceChange[]> {
  if (command.type === 'instance.add') {
    const { platform, name, title, credentials, settings } = command
    // One that is added again keeps its id and its chats.
    if (named && (named.removedAt === null || named.platform !== platform))
      return fail({
        kind: 'conflict',
        code: 'instance_exists',
        message: `The name ${name} is already taken.`,
        hint: 'Use another name, or update the account that has it.',
        details: { instanceId: named.id },
      })
    const id = named?.id ?? command.id
    return ok([{ type: 'instance.added', data: { id, platform, name }, body: { title, credentials, settings, by } }])
  }
  if (!instance || instance.removedAt !== null) return notFound('instance', command.id)
  const { id } = instance
  switch (command.type) {
    case 'instance.update': {
      const { type: _type, id: _id, ...wanted } = command
      const body = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
      return ok([{ type: 'instance.updated', data: { id, fields: Object.keys(body) }, body }])
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
