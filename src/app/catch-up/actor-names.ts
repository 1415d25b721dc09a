import type { LoggedEvent } from '../events.ts'
import type { Standing } from '../../domain/user/actor.ts'
import type { App } from '../app.ts'

/** The name to show for an actor: `user:<id>`, `policy:<rule>`, `system:<part>`, `agent:<id>`. */
export type ActorNames = (by: string) => string

/** The names that these events need. Agents are not shown the names of people. */
export async function actorNamesFor(
  app: Pick<App, 'read'>,
  viewer: Standing,
  events: readonly LoggedEvent[],
): Promise<ActorNames> {
  const { actor } = viewer
  const isNeeded = actor.kind !== 'agent' && events.some(({ data }) => 'by' in data && isPerson(data.by))
  const found = isNeeded ? await app.read.names(viewer) : null
  const names = new Map(found?.ok ? found.value.map(({ id, displayName }) => [`user:${id}`, displayName]) : [])
  const own = actor.kind === 'person' ? `user:${actor.userId}` : null
  return (by) => {
    if (by === own) return 'you'
    if (isPerson(by)) return names.get(by) ?? 'a person'
    if (by.startsWith('policy:')) return `the policy (${by.slice('policy:'.length)})`
    if (by.startsWith('session:')) return 'what was allowed for the session'
    if (by === 'system:clock') return 'the clock'
    return by.startsWith('agent:') ? 'an agent' : by.startsWith('system:') ? 'Signalbox itself' : by
  }
}

const isPerson = (by: unknown): boolean => typeof by === 'string' && by.startsWith('user:')
