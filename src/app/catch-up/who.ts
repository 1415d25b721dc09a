import type { LoggedEvent } from '../events.ts'
import type { Standing } from '../../domain/user/actor.ts'
import type { App } from '../app.ts'

/** How whoever did something is called: `user:<id>`, `policy:<rule>`, `system:<part>`, `agent:<id>`. */
export type Who = (by: string) => string

/** The names that events need, as this viewer may know them: agents are not told what people are called. */
export async function whoIn(app: Pick<App, 'read'>, viewer: Standing, events: readonly LoggedEvent[]): Promise<Who> {
  const { actor } = viewer
  const isNeeded = actor.kind !== 'agent' && events.some(({ data }) => 'by' in data && isPerson(data.by))
  const found = isNeeded ? await app.read.names(viewer) : null
  const names = new Map(found?.ok ? found.value.map(({ id, displayName }) => [`user:${id}`, displayName]) : [])
  const own = actor.kind === 'person' ? `user:${actor.userId}` : null
  return (by) => {
    if (by === own) return 'you'
    if (isPerson(by)) return names.get(by) ?? 'a person'
    if (by.startsWith('policy:')) return `the policy (${by.slice('policy:'.length)})`
    if (by === 'system:clock') return 'the clock'
    return by.startsWith('agent:') ? 'an agent' : by.startsWith('system:') ? 'Signalbox itself' : by
  }
}

const isPerson = (by: unknown): boolean => typeof by === 'string' && by.startsWith('user:')
