import type { AgentGroup } from '../../../domain/agent-group/schema.ts'
import { loadGroup } from '../../../domain/agent-group/store.ts'
import { ChatCommand, type Chat, type Wiring } from '../../../domain/chat/schema.ts'
import { sessionKeyOf, type SessionKey } from '../../../domain/chat/session-key.ts'
import { loadWirings } from '../../../domain/chat/store.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { inNoChat } from '../../../domain/session/schema.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import type { Repo } from '../../../domain/workspace/schema.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { newId } from '../../../lib/id.ts'
import type { Fault } from '../../../lib/result.ts'
import { platformIdOf } from '../records.ts'
import type { ChatOfSession, WantedSession } from '../../use-cases/start-session.ts'
import { restOf, typed, wrongUsage, type Call, type ChatCommandsDeps, type CommandHandler } from './call.ts'
import type { Callers } from './callers.ts'
import { shortId } from './find-session.ts'
import { aloud, oneLine, privately, refusal, type Reply } from './reply.ts'
import { meantBy } from './words.ts'

const system: Actor = { kind: 'system', name: 'chat' }

type Place = Pick<WantedSession, 'repoId' | 'workspaceRoot'>
/** Which agent is started, for which agent group, and what it is told. */
type Wanted = { group: AgentGroup | null; agent: string | null; repo: string | null; prompt: string }

export function createStartCommand(deps: ChatCommandsDeps, { chatOf }: Pick<Callers, 'chatOf'>): CommandHandler {
  const { app, database, agents } = deps

  /** The chat of a session that starts here. One that we do not know is added. */
  async function chatFor({ said, chat }: Call): Promise<Chat | null> {
    if (chat) return chat
    const { name, isGroup, id } = said.chat
    await app.dispatch(
      ChatCommand.parse({
        type: 'chat.add',
        id: newId(),
        channelType: said.inlet.platform,
        platformId: platformIdOf(said.inlet, id),
        name: name?.slice(0, 200) || null,
        isGroup,
        unknownSenderPolicy: 'request_approval',
        instanceId: said.inlet.id,
      }),
      system,
    )
    return chatOf(said)
  }

  /** `[AGENT | GROUP] [--repo REPO] PROMPT`: a first word that is neither is part of the prompt. */
  async function wantedBy(call: Call): Promise<Wanted | { reply: Reply }> {
    const { words, by } = call
    const groups = await app.read.agentGroups(by.standing)
    const known = groups.ok ? groups.value : []
    const names = by.isGuest ? [] : (await agents.list('none')).map(({ name }) => name)
    let at = 1
    let repo: string | null = null
    const takeRepo = () => {
      if (words[at]?.text !== '--repo') return
      repo = words[at + 1]?.text ?? ''
      at += 2
    }
    takeRepo()
    const first = words[at]
    const same = (name: string) => name.toLowerCase() === first?.text.toLowerCase()
    const group = known.find(({ name, folder }) => same(name) || same(folder)) ?? null
    const agent = group ? null : (names.find(same) ?? null)
    if (group || agent !== null) {
      at += 1
      takeRepo()
    } else {
      const offered = [...names, ...known.map(({ folder }) => folder)].filter((name) => name.length > 4)
      const meant = first && !first.quoted && words.length > at + 1 ? meantBy(first.text, offered) : undefined
      if (first && meant !== undefined && first.text.length > 3)
        return {
          reply: privately(
            `Agent '${oneLine(first.text)}' not found. Did you mean ${typed(call, `start ${meant} …`)}? Put the prompt in quotes if it begins with this word.`,
          ),
        }
    }
    const prompt = restOf(call, at)
    if (repo === '' || prompt === '')
      return { reply: wrongUsage(call, repo === '' ? 'REPO is missing.' : 'PROMPT is missing.') }
    return { group, agent, repo, prompt }
  }

  /** A registered repo by its name; without one the agent group's own, or the only one there is. */
  async function placeFor(
    call: Call,
    repo: string | null,
    group: AgentGroup | null,
  ): Promise<Place | { reply: Reply }> {
    const found = await app.read.repos(call.by.standing)
    const repos: readonly Repo[] = found.ok ? found.value : []
    if (repo !== null) {
      const named = repos.find(({ name, id }) => name.toLowerCase() === repo.toLowerCase() || id === repo)
      return named ? { repoId: named.id } : { reply: privately(`No such repo: ${oneLine(repo)}. ${reposWords(repos)}`) }
    }
    // It works in its own repo, directory or folder.
    if (group) return {}
    const [only, ...others] = repos
    if (only && others.length > 0)
      return { reply: privately(`Which repo? Add --repo NAME before the prompt. ${reposWords(repos)}`) }
    return only ? { repoId: only.id } : {}
  }

  return async (call) => {
    const { said, by } = call
    const id = derivedId<SessionId>(said.inboxId, 'session')
    const started = `Session ${shortId(id)} started.`
    // The command was given before, and its reply was lost.
    if ((await app.read.session(by.standing, id)).ok) return privately(started)
    const wanted = await wantedBy(call)
    if ('reply' in wanted) return wanted.reply
    const chat = await chatFor(call)
    const wirings = chat ? await loadWirings(database.read, chat.id) : []
    const usual = wanted.agent === null ? wirings[0] : undefined
    const group = wanted.group ?? (usual ? ((await loadGroup(database.read, usual.agentGroupId)) ?? null) : null)
    if (by.isGuest && !group) return privately('Only members of an agent group can start sessions here.')
    const place = await placeFor(call, wanted.repo, group)
    if ('reply' in place) return place.reply
    const { agent } = wanted
    const done = await deps.sessions.start(
      {
        id,
        protocolMode: 'acp',
        ...place,
        prompt: wanted.prompt,
        mode: 'remote',
        ...(agent !== null && { agent }),
        worktree: false,
        metadata: {},
        ...(chat && {
          chat: chatOfSession(
            call,
            chat,
            group,
            wirings.find((one) => one.agentGroupId === group?.id),
          ),
        }),
      },
      by,
    )
    if (!done.ok) return notStarted(call, done.fault, wanted.repo === null && typeof group?.repoId === 'string')
    return said.messageId === null ? privately(started) : aloud(started)
  }
}

/** `inGroupsRepo`: nobody named the repo, so that it can't be used says that the agent group is not theirs. */
function notStarted(call: Call, fault: Fault, inGroupsRepo: boolean): Reply {
  if (fault.code === 'workspace_required')
    return privately('No repo is registered that you can use. Ask an admin: signalbox repos add PATH')
  if (fault.code === 'repo_not_found' && inGroupsRepo)
    return privately('Only members of the agent group can start its sessions.')
  const taken = fault.code === 'thread_taken' ? fault.details?.['sessionId'] : undefined
  if (typeof taken !== 'string') return refusal(fault)
  const more = call.said.inlet.opensThreads
    ? 'Mention the app in the chat to start another one in its own thread.'
    : `End it first: ${typed(call, `stop ${shortId(taken)}`)}`
  return privately(`The agent group already has a session here: ${shortId(taken)}. ${more}`)
}

const reposWords = (repos: readonly Repo[]): string =>
  repos.length === 0
    ? 'No repos that you can use.'
    : `Repos: ${repos
        .slice(0, 20)
        .map(({ name }) => oneLine(name, 40))
        .join(', ')}.`

/** The thread that a message opens is the session's; a slash command opens none. */
function chatOfSession(
  { said }: Call,
  chat: Chat,
  group: AgentGroup | null,
  wiring: Wiring | undefined,
): ChatOfSession {
  const { thread, messageId, inlet } = said
  const own = thread ?? (inlet.opensThreads ? messageId : null)
  const place = {
    chatId: chat.id,
    isGroup: said.chat.isGroup,
    thread: own,
    messageId: messageId ?? '',
    opensThreads: false,
  }
  const key: SessionKey =
    wiring === undefined
      ? { mode: own === null ? 'shared' : 'per-thread', chatId: chat.id, threadId: own }
      : sessionKeyOf(wiring.sessionMode, place)
  return {
    ...inNoChat,
    agentProvider: group?.agentProvider ?? null,
    agentGroupId: group?.id ?? null,
    messagingGroupId: key.chatId,
    threadId: key.threadId,
    channelId: key.chatId === null ? null : chat.platformId.slice(0, 200),
    threadTs: key.threadId,
    sessionMode: key.mode,
  }
}
