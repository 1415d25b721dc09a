import type { ChatPort } from '../app/chat/chat-port.ts'
import { createChatCommands, type ChatCommands } from '../app/chat/commands/run-command.ts'
import { createKnocks } from '../app/chat/knocks.ts'
import { createPosts, type Posts } from '../app/chat/posts.ts'
import { createTakeIncoming } from '../app/chat/take-incoming.ts'
import { isOf } from '../app/events.ts'
import type { Leases } from '../app/follow.ts'
import { createAnswerAsk } from '../app/use-cases/answer-ask.ts'
import { createSessions } from '../app/use-cases/start-session.ts'
import { soleLeases } from '../db/leases.ts'
import type { Database } from '../db/open.ts'
import type { Chats } from '../edges/chat/host/start-chats.ts'
import { lazy, lazyMethods } from '../lib/lazy.ts'
import type { ServerContext } from './context.ts'
import type { Core } from './core.ts'
import type { Edges } from './edges.ts'
import { createRegisteredCommands } from './registered-commands.ts'

export type ChatPart = AsyncDisposable & {
  readonly port: ChatPort
  /** Posts of agents, by their tools. */
  readonly posts: Posts
}

type Deps = { database: Database; core: Core; edges: Edges; leases: Leases | undefined }

/** Chats of this node. Their code is loaded with the first instance, so that a server without chats stays small. */
export async function createChats(context: ServerContext, deps: Deps): Promise<ChatPart> {
  const { clock } = context
  const { app } = deps.core
  const posts = createPosts({
    database: deps.database,
    outbox: app.outbox,
    clock,
    platform: async (name) => (await import('../edges/chat/platforms.ts')).loadPlatform(name),
  })
  const chats = lazy(() => loadChats(context, deps, posts))
  const listening = app.tail.listen((events) => {
    if (events.some((event) => isOf(event, 'instance'))) void chats.get()
  })
  if ((await app.chat.instances.list()).length > 0) void chats.get()
  const port = lazy(async () => (await chats.get()).port)
  return {
    posts,
    port: lazyMethods(port, ['platforms', 'check', 'checkInstance', 'seal', 'test', 'webhook']),
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      await (await chats.requested())?.[Symbol.asyncDispose]()
    },
  }
}

async function loadChats(context: ServerContext, deps: Deps, posts: Posts): Promise<Chats> {
  const { clock, loaded, nodeId } = context
  const { database, core, edges, leases } = deps
  const { app } = core
  const log = context.log.child({ part: 'chat' })
  const [{ startChats }, { createSeal, keyFromFile }] = await Promise.all([
    import('../edges/chat/host/start-chats.ts'),
    import('../edges/chat/seal.ts'),
  ])
  const sessions = createSessions({
    app,
    places: edges.workspace,
    hosting: edges.agents,
    defaultWorkspace: loaded.config.workspaceRoot,
  })
  const answerAsk = createAnswerAsk(app, edges.terminals)
  const knocks = createKnocks({ app, database, clock, log })
  const take = createTakeIncoming({ app, database, sessions, answerAsk, knocks, clock, log })
  return startChats({
    app,
    clock,
    log,
    nodeId,
    seal: createSeal(keyFromFile(loaded.dataDir)),
    leases: leases ?? soleLeases,
    posts,
    knocks,
    take,
    commands: await commandsOf(context, deps, { sessions, answerAsk }),
    publicUrl: loaded.config.http.publicUrl,
    gaveUp: async ({ id, sessionId }, error) => {
      log.warn({ post: id, session: sessionId, error }, 'a message could not be sent')
    },
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
