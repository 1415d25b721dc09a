import { createHash } from 'node:crypto'

/** Ids of chats and messages have at most this many characters on our side. */
const mostCharacters = 200
const mark = '~'

export type IdKeeper = {
  get(key: string): Promise<unknown>
  set(key: string, value: unknown): Promise<void>
}

/** Ids without the adapter's own prefix. Those that are too long are kept under a short one. */
export function createIds(adapterName: string, keeper: IdKeeper) {
  const prefix = `${adapterName}:`
  const keyOf = (short: string): string => `signalbox:id:${short}`

  async function shorten(id: string): Promise<string> {
    if (id.length > 0 && id.length <= mostCharacters && !id.startsWith(mark)) return id
    const short = mark + createHash('sha256').update(id).digest('base64url')
    await keeper.set(keyOf(short), id)
    return short
  }

  async function lengthen(id: string): Promise<string> {
    if (!id.startsWith(mark)) return id
    const full = await keeper.get(keyOf(id))
    if (typeof full !== 'string') throw Object.assign(new Error(`${id} is unknown`), { code: 'NOT_FOUND' })
    return full
  }

  const bare = (id: string): string => (id.startsWith(prefix) ? id.slice(prefix.length) : id)

  return {
    shorten,
    lengthen,
    /** A thread or channel of the adapter, as ours. */
    fromAdapter: (id: string): Promise<string> => shorten(bare(id)),
    async toAdapter(id: string): Promise<string> {
      const full = await lengthen(id)
      return full.startsWith(prefix) ? full : prefix + full
    },
  }
}
export type Ids = ReturnType<typeof createIds>
