import type { App } from '../app/app.ts'
import type { ChatPort } from '../app/chat/chat-port.ts'
import { createChatCommands, type ChatCommands } from '../app/chat/commands/run-command.ts'
import { createKnocks } from '../app/chat/knocks.ts'
import { createTellSender } from '../app/chat/outgoing/tell-sender.ts'
import { createPosts, type Posts } from '../app/chat/posts.ts'
import { createTakeIncoming } from '../app/chat/take-incoming.ts'
import { isOf } from '../app/events.ts'
import type { Leases } from '../app/follow.ts'
import { createAnswerAsk } from '../app/use-cases/answer-ask.ts'
import { soleLeases } from '../db/leases.ts'
import type { Database } from '../db/open.ts'
import type { Chats } from '../edges/chat/host/start-chats.ts'
import type { Platforms } from '../edges/chat/platforms.ts'
import { lazy, lazyMethods, type Lazy } from '../lib/lazy.ts'
import { ok } from '../lib/result.ts'
import type { ServerContext } from './context.ts'
import type { Core } from './core.ts'
import type { Edges } from './edges.ts'
import { createRegisteredCommands } from './registered-commands.ts'

export type ChatPart = AsyncDisposable & { readonly port: ChatPort }

type ChatBasis = {
  /** Posts of agents and of the host. */
  readonly posts: Posts
  readonly platforms: Lazy<Platforms>
}

/** What agents' tools and the host share. */
export function createChatBasis(
  { clock, loaded }: ServerContext,
  { database, app }: { database: Database; app: App },
): ChatBasis {
  const platforms = lazy(async () =>
    (await import('../edges/chat/platforms.ts')).createPlatforms({
      dataDir: loaded.dataDir,
      state: (instance) => app.chat.bridgeState(instance, clock.now),
    }),
  )
  const posts = createPosts({
    database,
    outbox: app.outbox,
    clock,
    async platform(_channelType, instanceId) {
      const instance = await app.chat.instances.get(instanceId)
      return instance ? (await platforms.get()).of(instance) : null
    },
  })
  return { posts, platforms }
}

type Deps = ChatBasis & { database: Database; core: Core; edges: Edges; leases: Leases | undefined }

/** Chats of this node. Their code is loaded with the first instance, so that a server without chats stays small. */
export async function createChats(context: ServerContext, deps: Deps): Promise<ChatPart> {
  const { app } = deps.core
  const chats = lazy(() => loadChats(context, deps))
  const load = () =>
    void chats
      .get()
      .catch((error: unknown) => context.log.error({ error: String(error) }, 'chats could not be started'))
  const listening = app.tail.listen((events) => {
    if (events.some((event) => isOf(event, 'instance'))) load()
  })
  if ((await app.chat.instances.list()).length > 0) load()
  const port = lazy(async () => (await chats.get()).port)
  return {
    port: lazyMethods(port, [
      'platforms',
      'platform',
      'check',
      'checkInstance',
      'seal',
      'test',
      'webhook',
      'sayOnWeb',
      'pressOnWeb',
    ]),
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      await (await chats.requested())?.[Symbol.asyncDispose]()
    },
  }
}

async function loadChats(context: ServerContext, deps: Deps): Promise<Chats> {
  const { clock, loaded, nodeId } = context
  const { database, core, edges, leases, posts } = deps
  const { app } = core
  const log = context.log.child({ part: 'chat' })
  const [{ startChats }, { createSeal }, { chatKey }] = await Promise.all([
    import('../edges/chat/host/start-chats.ts'),
    import('../edges/chat/seal.ts'),
    import('../edges/chat/key.ts'),
  ])
  const { sessions } = edges
  const answerAsk = createAnswerAsk(app, edges.terminals, edges.administration.credentials)
  const knocks = createKnocks({ app, database, clock, log })
  const take = createTakeIncoming({
    app,
    database,
    sessions,
    answerAsk,
    save: edges.files.saveFile,
    knocks,
    clock,
    log,
  })
  const key = await chatKey({
    dataDir: loaded.dataDir,
    store: loaded.config.chat.keyStore,
    shared: loaded.config.database.url !== null,
  })
  return startChats({
    app,
    clock,
    log,
    nodeId,
    seal: key.ok ? ok(createSeal(key.value.key)) : key,
    platforms: await deps.platforms.get(),
    leases: leases ?? soleLeases,
    posts,
    knocks,
    take,
    commands: await commandsOf(context, deps, { sessions, answerAsk }),
    publicUrl: loaded.config.http.publicUrl,
    gaveUp: createTellSender({ app, database }),
  })
}

async function commandsOf(
  { clock, log, loaded }: ServerContext,
  { database, core, edges }: Deps,
  { sessions, answerAsk }: Pick<Parameters<typeof createChatCommands>[0], 'sessions' | 'answerAsk'>,
): Promise<ChatCommands> {
  const { app } = core
  const { askCard } = await import('../edges/chat/cards/ask-card.ts')
  return createChatCommands({
    app,
    database,
    sessions,
    answerAsk,
    agents: edges.agents,
    checkpoints: edges.files.checkpoints,
    registry: createRegisteredCommands(loaded.config.commands, edges.refused, edges.agents.confineOnce),
    askCard: async (ask) => askCard(ask, { source: 'Signalbox', answeredBy: null, mention: null, link: null }),
    clock,
    log,
  })
}
