import { listGroups } from '../../domain/agent-group/store.ts'
import { loadPost, loadPostFile } from '../../domain/chat-post/store.ts'
import type { ChatPostId } from '../../domain/chat-post/records.ts'
import { belongsTo } from '../../domain/chat/access.ts'
import { loadChatAt } from '../../domain/chat/store.ts'
import { sessionOfKey } from '../../domain/chat/store-sessions.ts'
import { webIncoming, webPosts, type WebIncoming, type WebPlace, type WebPost } from '../../domain/chat/store-web.ts'
import { webChatId, webPlatform } from '../../domain/chat/web-chat.ts'
import { takesSlot } from '../../domain/session/status.ts'
import type { Standing } from '../../domain/user/actor.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import { notFound, ok, type Result } from '../../lib/result.ts'
import { selfOf, type ReadContext } from './context.ts'

const pageSize = 50

export type WebEntry =
  | { readonly kind: 'incoming'; readonly at: string; readonly id: string; readonly incoming: WebIncoming }
  | {
      readonly kind: 'post'
      readonly at: string
      readonly id: string
      readonly post: WebPost
      readonly reactions: readonly string[]
    }

/** The web chats of the caller. Nobody reads those of others. */
export function createWebChatReads({ database, behind }: ReadContext) {
  const { read: db } = database

  const ownGroups = async (who: Standing) => (await listGroups(db)).filter(({ id }) => belongsTo(who, id))

  async function placeOf(who: Standing, agentGroupId: AgentGroupId) {
    const at = webChatId(selfOf(who), agentGroupId)
    const chat = await loadChatAt(db, { channelType: webPlatform, platformId: at })
    return chat && !chat.removed && chat.instanceId !== null
      ? { chat, incoming: { instanceId: chat.instanceId, chatId: at } }
      : null
  }

  /** Newest first. */
  async function entries(who: Standing, id: AgentGroupId, before: WebPlace | null, limit: number): Promise<WebEntry[]> {
    const place = await placeOf(who, id)
    if (!place) return []
    const posts = await webPosts(db, place.chat.id, before, limit)
    const reactions = Map.groupBy(
      posts.flatMap(({ content }) => (content.kind === 'reaction' ? [content] : [])),
      ({ messageId }) => messageId,
    )
    const of = (key: string) => reactions.get(key)?.map(({ emoji }) => emoji) ?? []
    const incoming = await webIncoming(db, place.incoming, before, limit)
    const all: WebEntry[] = [
      ...incoming.map((one): WebEntry => ({ kind: 'incoming', at: one.at, id: one.id, incoming: one })),
      ...posts
        .filter(({ content }) => content.kind === 'message')
        .map((one): WebEntry => ({ kind: 'post', at: one.at, id: one.id, post: one, reactions: of(one.id) })),
    ]
    return all.toSorted((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1)).slice(0, limit)
  }

  async function stateOf(who: Standing, id: AgentGroupId) {
    const place = await placeOf(who, id)
    const [last = null] = await entries(who, id, null, 1)
    const key = { mode: 'shared' as const, chatId: place?.chat.id ?? null, threadId: null }
    const session = place ? await sessionOfKey(db, id, key) : undefined
    const isMine = last?.kind === 'incoming'
    const working =
      isMine && (last.incoming.status === 'waiting' || (last.incoming.status === 'done' && isLive(session)))
    return { last, sessionId: session?.id ?? null, working }
  }

  async function reach(who: Standing, id: AgentGroupId): Promise<Result<null>> {
    return (await ownGroups(who)).some((one) => one.id === id) ? ok(null) : notFound('agent_group', id)
  }

  return {
    webChats: behind('person', async (_viewer, who) => {
      const groups = await ownGroups(who)
      const states = await Promise.all(groups.map(({ id }) => stateOf(who, id)))
      return ok(groups.map((group, at) => ({ group, state: states[at] ?? nothingSaid })))
    }),
    /** Whether the caller may write there. */
    webChatWith: behind('person', (_viewer, who, id: AgentGroupId) => reach(who, id)),
    webMessages: behind('person', async (_viewer, who, id: AgentGroupId, before: WebPlace | null) => {
      const reached = await reach(who, id)
      if (!reached.ok) return reached
      const found = await entries(who, id, before, pageSize)
      return ok({ entries: found.toReversed(), hasEarlier: found.length === pageSize })
    }),
    webFile: behind('person', async (_viewer, who, id: AgentGroupId, postId: string) => {
      const reached = await reach(who, id)
      if (!reached.ok) return reached
      const place = await placeOf(who, id)
      const post = await loadPost(db, postId as ChatPostId)
      const file = place && post?.chatId === place.chat.id ? await loadPostFile(db, post.id) : undefined
      return file ? ok(file) : notFound('file', postId)
    }),
    /** Whether this post is in the caller's own chat. */
    webPost: behind('person', async (_viewer, who, id: AgentGroupId, postId: string) => {
      const reached = await reach(who, id)
      if (!reached.ok) return reached
      const place = await placeOf(who, id)
      const post = await loadPost(db, postId as ChatPostId)
      return place && post?.chatId === place.chat.id ? ok(post) : notFound('message', postId)
    }),
  }
}

const isLive = (session: { status: Parameters<typeof takesSlot>[0] } | undefined): boolean =>
  session !== undefined && takesSlot(session.status)

const nothingSaid = { last: null, sessionId: null, working: false }
