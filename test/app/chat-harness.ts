import { createChatCommands } from '../../src/app/chat/commands/run-command.ts'
import { createKnocks, type Knocks } from '../../src/app/chat/knocks.ts'
import { createPosts, type NewPost } from '../../src/app/chat/posts.ts'
import { createTakeIncoming, type Inlet, type Taken } from '../../src/app/chat/take-incoming.ts'
import type { AgentStart } from '../../src/app/hosting.ts'
import { createAnswerAsk } from '../../src/app/use-cases/answer-ask.ts'
import { createSessions } from '../../src/app/use-cases/start-session.ts'
import { createCheckpoints } from '../../src/edges/workspace/checkpoint/checkpoints.ts'
import { askCard } from '../../src/edges/chat/cards/ask-card.ts'
import { AgentGroupCommand } from '../../src/domain/agent-group/schema.ts'
import { InstanceCommand } from '../../src/domain/chat-instance/schema.ts'
import type { ChatPost } from '../../src/domain/chat-post/records.ts'
import type { ChatInstanceId, InboxId, MessagingGroupId, WiringId } from '../../src/domain/chat/id.ts'
import type { ChatSender, IncomingMessage } from '../../src/domain/chat/incoming.ts'
import { ChatCommand } from '../../src/domain/chat/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { AgentGroupId, UserId } from '../../src/domain/user/id.ts'
import { iso } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { fail, ok, type Result } from '../../src/lib/result.ts'
import { workRepo, type Node, type Person, type World } from '../world.ts'

export type Said = {
  chat?: string
  name?: string | null
  direct?: boolean
  group?: boolean
  thread?: string | null
  from?: ChatSender
  mention?: boolean
  key?: string
  messageId?: string
  replyTo?: string | null
  files?: IncomingMessage['files']
}

export type Commanded = {
  from?: ChatSender
  chat?: string
  thread?: string | null
  direct?: boolean
  messageId?: string
  inboxId?: InboxId
  forms?: boolean
  /** What was filled in: the form is submitted. */
  text?: string
}

export const sender = (handle: string, name = handle): ChatSender => ({
  handle,
  identity: `slack:${handle}`,
  name,
  isBot: false,
})

/** A platform that says what it is told to, and agents that start at once. */
export async function chatHarness(world: World, { opensThreads = true, name = 'slack' } = {}) {
  const instanceId = newId<ChatInstanceId>()
  const add = { type: 'instance.add', id: instanceId, platform: 'slack', name, title: 'Slack', credentials: 'x' }
  await world.do(InstanceCommand.parse(add))
  const inlet: Inlet = { id: instanceId, platform: 'slack', name, opensThreads }
  let failing: (start: AgentStart) => Result<SessionId> | Error | null = () => null
  let starts = 0
  const ran: string[] = []

  /** Everything a node needs to take messages; another one stands for a restart. */
  function nodeOf(node: Pick<Node, 'app' | 'database'>) {
    const knocks: Knocks = createKnocks({
      app: node.app,
      database: node.database,
      clock: world.clock,
      log: silentLogger,
    })
    const located = async (path: string) => ok({ path })
    const sessions = createSessions({
      app: node.app,
      places: {
        locateRepo: located,
        locateWorkspace: located,
        locateNamed: located,
        locateGroupFolder: async (folder) => ok({ path: `/groups/${folder}` }),
        locateAgain: async () => ok(undefined),
      },
      hosting: {
        async start({ session, restartOf, actor, once, ...rest }) {
          starts += 1
          const wrong = failing({ session, restartOf, actor, once, ...rest })
          if (wrong instanceof Error) throw wrong
          if (wrong) return wrong
          const command = {
            type: 'session.start' as const,
            session,
            active: true,
            restartOf,
            promptItem: newId<never>(),
          }
          const done = await node.app.dispatch({ ...command, hostedBy: 'first' }, actor, once)
          return done.ok ? ok(session.id) : done
        },
        recover: async () => ok(undefined),
      },
      defaultWorkspace: null,
    })
    const answerAsk = createAnswerAsk(
      node.app,
      { holdSecret: () => false, dropSecret() {} },
      { offer: async () => ok(undefined), withdraw: async () => {} },
    )
    const take = createTakeIncoming({
      app: node.app,
      database: node.database,
      sessions,
      answerAsk,
      save: async () => ok(undefined),
      knocks,
      clock: world.clock,
      log: silentLogger,
    })
    // Permissions are real; the disk is not.
    const checkpoints = createCheckpoints({
      app: node.app,
      store: {
        take: async () => ok({ tree: 'tree', restorePoint: 'point', fileCount: 3, notKept: [] }),
        list: () => Promise.resolve(ok({ files: [], more: false })),
        compare: async () => ok({ modified: ['a.ts'], deleted: [], added: ['new.ts'] }),
        restore: async () => {
          ran.push('restore')
          return ok({ restored: ['a.ts'], recreated: [], kept: ['new.ts'], removed: [], failed: [] })
        },
      },
      log: silentLogger,
      filesMadeBy: async () => [],
      endAgent: async () => {},
    })
    const commands = createChatCommands({
      app: node.app,
      database: node.database,
      sessions,
      answerAsk,
      agents: {
        list: async () =>
          ['claude', 'gemini'].map((agent, at) => ({
            name: agent,
            title: agent,
            isDefault: at === 0,
            installed: true,
          })),
      },
      checkpoints,
      registry: {
        list: () => [{ alias: 'tests', command: 'npm test' }],
        run: async (alias) => {
          ran.push(alias)
          return ok({ exitCode: 0, stdout: 'fine', stderr: '', truncated: false, timedOut: false })
        },
      },
      askCard: async (ask) => askCard(ask, { source: 'claude', answeredBy: null, mention: null, link: null }),
      clock: world.clock,
      log: silentLogger,
    })
    /** Takes what is due, until nothing is. */
    async function drain(): Promise<Taken[]> {
      const taken: Taken[] = []
      for (;;) {
        const rows = await node.app.chat.inbox.due(iso(world.clock.now()), {
          instances: [instanceId],
          busy: [],
          limit: 10,
        })
        if (rows.length === 0) return taken
        for (const row of rows) if (row.event.kind === 'message') taken.push(await take(row, row.event, inlet))
      }
    }
    return { knocks, take, drain, commands }
  }
  const here = nodeOf(world)

  const message = (text: string, said: Said = {}): IncomingMessage => {
    const messageId = said.messageId ?? newId()
    return {
      kind: 'message',
      key: said.key ?? `C:${messageId}`,
      chat: {
        id: said.chat ?? 'C1',
        name: said.name === undefined ? 'dev' : said.name,
        isGroup: said.group ?? !said.direct,
        isDirect: said.direct ?? false,
      },
      thread: said.thread ?? null,
      messageId,
      sender: said.from ?? sender('U1', 'Ann'),
      text,
      mentionsUs: said.mention ?? true,
      files: said.files ?? [],
      replyTo: said.replyTo ?? null,
      at: iso(world.clock.now()),
    }
  }
  /** It comes in, as if the platform had sent it. */
  async function arrive(text: string, said: Said = {}): Promise<boolean> {
    const event = message(text, said)
    const lane = `${instanceId}/${event.chat.id}/${event.thread ?? event.messageId}`
    return world.app.chat.inbox.add({ instanceId, lane, event, cursor: { at: event.key } }, iso(world.clock.now()))
  }
  /** It comes in and is taken. */
  async function say(text: string, said: Said = {}): Promise<Taken | undefined> {
    await arrive(text, said)
    return (await here.drain()).at(-1)
  }

  /** A platform that shows text as it is. */
  const posts = createPosts({
    database: world.database,
    outbox: world.app.outbox,
    clock: world.clock,
    platform: async () => ({
      render: (content) => [{ body: content.kind === 'text' ? content.text : content.kind, file: null }],
      oneAtATimePer: 'thread',
      limits: { fileBytes: 1000 },
    }),
  })

  return {
    ...here,
    instanceId,
    posts,
    async posted(post: NewPost): Promise<[ChatPost, ...ChatPost[]]> {
      const put = await posts.put(post)
      if (!put.ok) throw new Error(put.fault.message)
      return put.value as [ChatPost, ...ChatPost[]]
    },
    inlet,
    nodeOf,
    message,
    arrive,
    say,
    starts: () => starts,
    /** Registered commands and restores that were run. */
    ran,
    /** A command; with `messageId` by a mention, else `/signalbox`. */
    async command(text: string, { from = sender('U1', 'Ann'), thread = null, ...more }: Commanded = {}) {
      const chat = { id: more.chat ?? 'C1', name: 'dev', isGroup: !more.direct, isDirect: more.direct ?? false }
      const inboxId = more.inboxId ?? newId<InboxId>()
      const said = { text, sender: from, chat, thread, messageId: more.messageId ?? null, inboxId, inlet }
      return here.commands.run(said)
    },
    async press(action: string, { from = sender('U1', 'Ann'), thread = null, forms = false, ...more }: Commanded = {}) {
      const chat = { id: more.chat ?? 'C1', name: 'dev', isGroup: true, isDirect: false }
      const inboxId = more.inboxId ?? newId<InboxId>()
      const at = { sender: from, chat, thread, messageId: 'm1', inboxId, inlet, action }
      return more.text === undefined
        ? here.commands.press({ ...at, forms })
        : { reply: await here.commands.submit({ ...at, text: more.text }), form: null }
    },
    /** What starting an agent says from now on; null: it works. */
    fail(how: typeof failing) {
      failing = how
    },
    async group(groupName: string, more: object = {}): Promise<AgentGroupId> {
      const id = newId<AgentGroupId>()
      await world.do(
        AgentGroupCommand.parse({ type: 'agent_group.create', id, name: groupName, repoId: workRepo.id, ...more }),
      )
      return id
    },
    async chat(platformId: string, more: object = {}): Promise<MessagingGroupId> {
      const id = newId<MessagingGroupId>()
      const chat = { id, channelType: 'slack', platformId, name: 'dev', isGroup: true, instanceId, ...more }
      await world.do(ChatCommand.parse({ type: 'chat.add', ...chat }))
      return id
    },
    async wire(chatId: MessagingGroupId, agentGroupId: AgentGroupId, more: object = {}): Promise<WiringId> {
      const id = newId<WiringId>()
      await world.do(ChatCommand.parse({ type: 'wiring.add', id, chatId, agentGroupId, ...more }))
      return id
    },
    async member(agentGroupId: AgentGroupId | null, handle = 'U1', personName = 'Ann'): Promise<Person> {
      const userId = newId<UserId>()
      const identities = [`slack:${handle}`]
      await world.do({ type: 'user.create', id: userId, displayName: personName, identities })
      if (agentGroupId !== null) await world.do({ type: 'member.add', userId, agentGroupId })
      return { kind: 'person', userId, scope: 'full' }
    },
    sessions: () =>
      world.database.read
        .selectFrom('sessions')
        .select(['id', 'agent_group_id', 'messaging_group_id', 'thread_id', 'session_mode', 'owner_user_id', 'status'])
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    /** What agents were told, oldest first. */
    told: async (): Promise<string[]> =>
      (await world.database.read.selectFrom('queue_items').select('words').orderBy('seq').execute()).map(
        ({ words }) => words,
      ),
    strangers: () =>
      world.database.read
        .selectFrom('unregistered_senders')
        .select(['user_id', 'reason', 'message_count as n'])
        .orderBy('user_id')
        .execute(),
    inbox: () =>
      world.database.read.selectFrom('chat_inbox').select(['id', 'status', 'body', 'ask_id']).orderBy('seq').execute(),
    asks: () =>
      world.database.read
        .selectFrom('asks')
        .select(['id', 'kind', 'status', 'answerers', 'title'])
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
  }
}

export type ChatHarness = Awaited<ReturnType<typeof chatHarness>>
export const busy: Result<SessionId> = fail({ kind: 'limited', code: 'too_many_sessions', message: 'Full.' })
