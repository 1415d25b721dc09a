import { derivedId } from '../../lib/derived-id.ts'
import { iso } from '../../lib/clock.ts'
import { Identity } from '../../domain/user/schema.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** UUIDs stay as they are; any other id always gives the same one, so that a second import finds its rows. */
export const idFor = <T extends string>(table: string, id: string): T =>
  uuid.test(id) ? (id as T) : derivedId<T>('nanoclaw', table, id)

/** Times were written by SQLite too, without a zone: those are in UTC. */
export function timeOr(text: string | null | undefined, otherwise: string): string {
  if (!text) return otherwise
  const zoned = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text) ? `${text.replace(' ', 'T')}Z` : text
  const time = Date.parse(zoned)
  return Number.isNaN(time) ? otherwise : iso(time)
}

/** `telegram:1` is `tg:1` here, and `teams:1` is `chat-teams:1`; an id without a platform gets it from the kind of user. */
export function identityOf(id: string, kind: string | null): string | null {
  const named = id.replace(/^telegram:/, 'tg:')
  const kindName = kind === 'telegram' ? 'tg' : kind
  const withKind = kindName === null ? [] : [`${kindName}:${id}`, `chat-${kindName}:${id}`]
  for (const candidate of [named, `chat-${named}`, ...withKind]) {
    const read = Identity.safeParse(candidate)
    if (read.success) return read.data
  }
  return null
}

/** Chat ids of the library carry the name of the platform, and Discord's the server: `discord:<server>:<channel>`. */
export function placeOf(channelType: string, platformId: string): string {
  const prefix = `${channelType}:`
  if (!platformId.startsWith(prefix)) return platformId
  const rest = platformId.slice(prefix.length)
  return channelType === 'discord' ? (rest.split(':').at(-1) ?? rest) : rest
}
