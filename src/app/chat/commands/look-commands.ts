import type { AskId } from '../../../domain/ask/id.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { stateWords } from '../../../domain/session/phase.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { typed, type Call, type ChatCommandsDeps, type CommandHandler } from './call.ts'
import { commandNames, commandTable, isCommandName } from './command-table.ts'
import { describe, shortId, type FindSession } from './find-session.ts'
import { counted, oneLine, privately, refusal, type Reply } from './reply.ts'
import { meantBy } from './words.ts'

const mostListed = 20
const mostFiles = 40
const openStatuses = ['created', 'active', 'paused', 'interrupted'] as const

/** Commands that only look. Their answers are for the sender alone. */
export function createLookCommands({ app, agents, askCard }: ChatCommandsDeps, sessions: FindSession) {
  const help: CommandHandler = async (call) => {
    const word = call.words[1]?.text.toLowerCase()
    if (word === undefined) {
      const lines = commandNames.map((name) => `\`${commandTable[name].usage}\` ${commandTable[name].summary}`)
      return privately(
        [
          ...lines,
          'In the thread of a session, SESSION can be left out. Elsewhere it is the start of its id, or a word of its title. If several fit, you can choose.',
          'In a chat between you and the app, put `/signalbox` before a command; other words go to the agent.',
        ].join('\n'),
      )
    }
    if (!isCommandName(word)) return unknownCommand(call, word)
    return privately(`${typed(call, commandTable[word].usage)} ${commandTable[word].summary}`)
  }

  const listAgents: CommandHandler = async ({ by }) => {
    const [groups, found] = [await app.read.agentGroups(by.standing), by.isGuest ? [] : await agents.list('none')]
    const groupLines = groups.ok
      ? groups.value.map(({ name, folder }) => `\`${folder}\` ${oneLine(name)} (agent group)`)
      : []
    const agentLines = found
      .filter(({ installed }) => installed)
      .map(({ name, title, isDefault }) => `\`${name}\` ${oneLine(title)}${isDefault ? ' (default)' : ''}`)
    const lines = [...groupLines, ...agentLines]
    return privately(lines.length === 0 ? 'No agents that you can start.' : lines.join('\n'))
  }

  const listSessions: CommandHandler = async (call) => {
    const words = call.said.text.slice(call.words[1]?.start ?? call.said.text.length).trim()
    const isAll = words.toLowerCase() === 'all'
    const page = await app.read.sessions(call.by.standing, {
      ...(words === '' && { statuses: openStatuses }),
      ...(words !== '' && !isAll && { q: words }),
      limit: mostListed,
      offset: 0,
    })
    if (!page.ok) return refusal(page.fault)
    const shown = await sessions.shown(page.value.sessions)
    if (shown.length === 0)
      return privately(
        words === '' ? `No running sessions. Start one with: ${typed(call, 'start PROMPT')}` : 'No matching sessions.',
      )
    const more = page.value.total - shown.length
    return privately(
      [
        ...shown.map((one) => `\`${shortId(one.id)}\` ${describe(one)} · ${oneLine(one.ownerName, 40)}`),
        ...(more > 0 ? [`… and ${more} more`] : []),
      ].join('\n'),
    )
  }

  const files: CommandHandler = async (call) => {
    const found = await sessions.find(call, 1, 'nothing')
    if ('reply' in found) return found.reply
    const changed = await app.read.sessionFiles(call.by.standing, found.session.id)
    if (!changed.ok) return refusal(changed.fault)
    if (changed.value.length === 0) return privately('No files changed.')
    const lines = changed.value
      .slice(0, mostFiles)
      .map(
        ({ path, added, removed, undone }) =>
          `\`${oneLine(path, 200)}\` +${added} −${removed}${undone ? ' (undone)' : ''}`,
      )
    const more = changed.value.length - lines.length
    return privately([...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'))
  }

  /** Asks that the person may see, by the start of their id; ids of asks begin with the time. */
  async function asksLike({ by }: Call, text: string): Promise<Ask[]> {
    const wanted = text.toLowerCase()
    if (!/^[0-9a-f-]{4,36}$/.test(wanted)) return []
    if (wanted.length === 36) {
      const ask = await app.read.ask(by.standing, wanted as AskId)
      return ask.ok ? [ask.value] : []
    }
    const asks = await app.read.asks(by.standing, { limit: 100 })
    return asks.ok ? asks.value.filter(({ id }) => id.startsWith(wanted)) : []
  }

  const show: CommandHandler = async (call) => {
    const [ask, ...others] = await asksLike(call, call.words[1]?.text ?? '')
    if (others.length > 0 && ask)
      return privately(
        [
          'Several asks match:',
          ...[ask, ...others].map(({ id, title }) => `${typed(call, `show ${id}`)} ${oneLine(title)}`),
        ].join('\n'),
      )
    if (ask) return { to: 'sender', content: { kind: 'card', card: await askCard(ask) } }
    const found = await sessions.find(call, 1, 'nothing')
    return 'reply' in found ? found.reply : showSession(call, found.session.id)
  }

  async function showSession(call: Call, id: SessionId): Promise<Reply> {
    const detail = await app.read.sessionDetail(call.by.standing, id, 'none')
    if (!detail.ok) return refusal(detail.fault)
    const session = detail.value
    const [shown] = await sessions.shown([session])
    const open = await app.read.asks(call.by.standing, { sessionId: id, statuses: ['open'], limit: 10 })
    const asks = open.ok ? open.value : []
    const fields: [string, string][] = [
      ['Session', shortId(id)],
      ['Status', stateWords(session)],
      ['Owner', oneLine(shown?.ownerName ?? '')],
      ['Agent', oneLine(session.agent ?? session.protocolMode)],
      ['Workspace', oneLine(session.repo?.name ?? session.workspaceRoot, 200)],
      ...(session.queue.length > 0 ? [['Queue', counted(session.queue.length, 'message')] as [string, string]] : []),
    ]
    return {
      to: 'sender',
      content: {
        kind: 'card',
        card: {
          title: oneLine(shown?.title || (session.prompt ?? '') || `Session ${shortId(id)}`),
          tone: session.waiting ? 'waiting' : 'quiet',
          lines: [
            { kind: 'fields', fields },
            ...(session.progressSnapshot ?? [])
              .slice(0, 20)
              .map(({ label, status }) => ({ kind: 'text' as const, text: `${marks[status]} ${oneLine(label)}` })),
            ...asks.map(({ id: askId, title }) => ({
              kind: 'text' as const,
              text: `Waiting: ${oneLine(title)} ${typed(call, `show ${askId}`)}`,
            })),
          ],
          buttons: [],
          footer: null,
          mention: null,
        },
      },
    }
  }

  const who: CommandHandler = async (call) => {
    const { by, said } = call
    const me = await app.read.me(by.standing)
    if (!me.ok) return refusal(me.fault)
    const groups = await app.read.agentGroups(by.standing)
    const nameOfGroup = (id: string | null) => (groups.ok && groups.value.find((one) => one.id === id)?.name) || null
    const roles = me.value.roles.map(({ role, agentGroupId }) =>
      agentGroupId === null ? role : `${role} of ${oneLine(nameOfGroup(agentGroupId) ?? shortId(agentGroupId))}`,
    )
    const member = me.value.memberOf.map(({ agentGroupId }) =>
      oneLine(nameOfGroup(agentGroupId) ?? shortId(agentGroupId)),
    )
    const [session] = await sessions.here(call)
    const [shown] = session ? await sessions.shown([session]) : []
    return privately(
      [
        `You are ${oneLine(me.value.displayName)} (${said.sender.identity}).`,
        `Roles: ${roles.length === 0 ? 'none' : roles.join(', ')}. Agent groups: ${member.length === 0 ? 'none' : member.join(', ')}.`,
        ...(shown ? [`Session ${shortId(shown.id)} of this thread belongs to ${oneLine(shown.ownerName)}.`] : []),
      ].join('\n'),
    )
  }

  return { help, agents: listAgents, sessions: listSessions, files, show, who }
}

const marks = { done: '✓', in_progress: '→', pending: '·' } as const

export function unknownCommand(call: Pick<Call, 'said'>, word: string): Reply {
  const meant = meantBy(word, commandNames)
  const hint = meant === undefined ? `List them with ${typed(call, 'help')}.` : `Did you mean ${typed(call, meant)}?`
  return privately(`There is no command ${oneLine(word, 40)}. ${hint}`)
}
