/** The people of an instance, as far as their identities depend on it. */
export type PeopleOf = {
  readonly instance: { readonly name: string; readonly platform: string }
  readonly idPrefix: string
  /** `local`: another instance of the platform may use the same id for another person. */
  readonly ids: 'global' | 'local'
}

/** What could be taken for the name of an instance before a handle. */
const qualified = /^[a-z0-9][a-z0-9_-]*\//

/**
 * The identity of a person, such as `slack:U1`. Where ids are local, an instance that is not named like its platform adds
 * its name (`slack:acme/U1`): nobody can act as the person who has the same id in another workspace.
 */
export function identityOf({ instance, idPrefix, ids }: PeopleOf, handle: string): string {
  const isPlain = ids === 'global' || (instance.name === instance.platform && !qualified.test(handle))
  return isPlain ? `${idPrefix}:${handle}` : `${idPrefix}:${instance.name}/${handle}`
}

/** The handle behind an identity; null if it is of another instance or platform. */
export function handleOf(people: PeopleOf, identity: string): string | null {
  const { instance, idPrefix } = people
  if (!identity.startsWith(`${idPrefix}:`)) return null
  const rest = identity.slice(idPrefix.length + 1)
  const own = `${instance.name}/`
  const candidates = rest.startsWith(own) ? [rest.slice(own.length), rest] : [rest]
  return candidates.find((handle) => handle !== '' && identityOf(people, handle) === identity) ?? null
}
