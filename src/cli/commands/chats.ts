import type { Client } from '../../client/client.ts'
import type { WiredChat } from '../../client/contract/chats.ts'
import type { Wiring, WiringSettings } from '../../domain/chat/schema.ts'
import { renderFields, renderTable, type Column } from '../columns.ts'
import type { FlagValues, Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { findChat, findGroup, findInstance } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import { programName } from '../program-name.ts'
import type { addChatFlags, updateChatFlags, wireFlags } from '../table/chats.ts'
import { relativeTime } from '../times.ts'
import { namesOfGroups } from './agent-groups.ts'

type UnknownSenders = WiredChat['unknownSenderPolicy']
/** The parser accepts only listed values. */
const unknownOf = (text: string): UnknownSenders => text as UnknownSenders

const unknownText: Readonly<Record<UnknownSenders, string>> = {
  strict: 'dropped',
  request_approval: 'ask an admin',
  public: 'let in',
}

const nameOf = ({ name, platformId }: WiredChat): string => name ?? platformId
/** A direct chat has the name of its person. */
const listedName = (chat: WiredChat): string => `${nameOf(chat)}${chat.isGroup ? '' : ' (direct)'}`

export const listChats: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const [chats, groups] = await Promise.all([client.listChats({}).then(({ chats }) => chats), namesOfGroups(client)])
  printResult(context, chats, () => {
    const short = shortener(chats.map(({ id }) => id))
    const listeners = ({ wirings, deniedAt }: WiredChat): string =>
      deniedAt === null
        ? wirings.map(({ agentGroupId }) => groups.get(agentGroupId) ?? shortId(agentGroupId)).join(', ') || 'nobody'
        : 'ignored'
    const columns: Column<WiredChat>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'PLATFORM', cell: ({ channelType }) => channelType },
      { title: 'NAME', cell: listedName, shrinks: true },
      { title: 'LISTENING', cell: listeners, shrinks: true },
      { title: 'UNKNOWN PEOPLE', cell: ({ unknownSenderPolicy }) => unknownText[unknownSenderPolicy] },
      { title: 'ADDED', cell: ({ createdAt }) => relativeTime(createdAt, context.now()) },
    ]
    const none = `No chats. They appear when someone writes to Signalbox there; connect it with: ${programName()} chat add slack`
    return tableOr(context, chats, columns, none)
  })
}

async function show(context: Context, client: Client, chat: WiredChat): Promise<void> {
  const groups = context.json ? new Map<string, string>() : await namesOfGroups(client)
  printResult(context, chat, (one) => {
    const fields = renderFields(
      [
        ['Chat', one.id],
        ['Name', one.name],
        ['Platform', one.channelType],
        ['Platform id', one.platformId],
        ['Unknown people', unknownText[one.unknownSenderPolicy]],
        ['Added', relativeTime(one.createdAt, context.now())],
        ['Ignored since', relativeTime(one.deniedAt, context.now())],
      ],
      context.out,
    )
    const columns: Column<Wiring>[] = [
      { title: 'GROUP', cell: ({ agentGroupId }) => groups.get(agentGroupId) ?? shortId(agentGroupId) },
      { title: 'ANSWERS TO', cell: engageText },
      { title: 'FROM', cell: ({ senderScope }) => (senderScope === 'all' ? 'all' : 'members') },
      { title: 'SESSION', cell: ({ sessionMode }) => sessionMode },
      { title: 'OTHER MESSAGES', cell: ({ ignoredMessagePolicy }) => ignoredText[ignoredMessagePolicy] },
      { title: 'VERBOSITY', cell: ({ verbosity }) => verbosity },
    ]
    return one.wirings.length === 0 ? fields : `${fields}\n\n${renderTable(one.wirings, columns, context.out)}`
  })
}

const ignoredText: Readonly<Record<Wiring['ignoredMessagePolicy'], string>> = {
  drop: 'dropped',
  accumulate: 'kept as context',
}

function engageText({ engageMode, engagePattern }: Wiring): string {
  if (engageMode === 'mention') return 'mentions'
  if (engageMode === 'mention-sticky') return 'mentions, then all'
  return engagePattern === null || engagePattern === '.' ? 'everything' : engagePattern
}

export const showChat: Handler = async ({ args: [chat = ''] }, context) => {
  const { client } = await context.api()
  await show(context, client, await client.getChat({ params: { id: await findChat(client, chat) } }))
}

export const addChat: Handler<typeof addChatFlags> = async ({ args: [platformId = ''], flags }, context) => {
  const { client } = await context.api()
  const { platform, name, group, instance, unknown } = flags
  if (platform === undefined) throw wrongUsage('Missing --platform.', 'See them with: signalbox chat platforms')
  const body = {
    channelType: platform,
    platformId,
    isGroup: group,
    ...(name !== undefined && { name }),
    ...(unknown !== undefined && { unknownSenderPolicy: unknownOf(unknown) }),
    ...(instance !== undefined && { instanceId: await findInstance(client, instance) }),
  }
  await show(context, client, await client.addChat({ body }))
}

export const updateChat: Handler<typeof updateChatFlags> = async ({ args: [chat = ''], flags }, context) => {
  const { name, unknown } = flags
  const body = {
    ...(name !== undefined && { name }),
    ...(unknown !== undefined && { unknownSenderPolicy: unknownOf(unknown) }),
  }
  if (Object.keys(body).length === 0) throw wrongUsage('Nothing to change.', 'Use --name or --unknown.')
  const { client } = await context.api()
  const id = await findChat(client, chat)
  await show(context, client, await client.updateChat({ params: { id }, body }))
}

function settingsOf(flags: FlagValues<typeof wireFlags>): Partial<WiringSettings> {
  const { engage, pattern, session, from, ignored, verbosity, priority } = flags
  const mode = engage ?? (pattern === undefined ? undefined : 'pattern')
  if (pattern !== undefined && mode !== 'pattern') throw wrongUsage('--pattern needs --engage pattern.')
  if (pattern === undefined && mode === 'pattern')
    throw wrongUsage('--engage pattern needs --pattern.', 'To answer to everything: --pattern .')
  // The parser accepts only listed values.
  return {
    ...(mode !== undefined && { engageMode: mode as WiringSettings['engageMode'] }),
    ...(mode !== undefined && { engagePattern: pattern ?? null }),
    ...(session !== undefined && { sessionMode: session as WiringSettings['sessionMode'] }),
    ...(from !== undefined && { senderScope: from as WiringSettings['senderScope'] }),
    ...(ignored !== undefined && { ignoredMessagePolicy: ignored as WiringSettings['ignoredMessagePolicy'] }),
    ...(verbosity !== undefined && { verbosity: verbosity as WiringSettings['verbosity'] }),
    ...(priority !== undefined && { priority }),
  }
}

const wiringOf = (wirings: readonly Wiring[], chatId: string, agentGroupId: string): Wiring | undefined =>
  wirings.find((one) => one.chatId === chatId && one.agentGroupId === agentGroupId)

export const wireChat: Handler<typeof wireFlags> = async ({ args: [chat = '', group = ''], flags }, context) => {
  const settings = settingsOf(flags)
  const { client } = await context.api()
  const [chatId, agentGroupId] = [await findChat(client, chat), await findGroup(client, group)]
  const known = wiringOf((await client.listWirings({})).wirings, chatId, agentGroupId)
  const wiring = known
    ? await client.updateWiring({ params: { id: known.id }, body: settings })
    : await client.addWiring({ body: { chatId, agentGroupId, ...settings } })
  printResult(context, wiring, (one) => `${group} listens in ${chat}, and answers to ${engageText(one)}.`)
  if (!context.json && !known)
    context.out.note(`Members can write to it. Add one with: ${programName()} groups add-member GROUP USER`)
}

export const unwireChat: Handler = async ({ args: [chat = '', group = ''] }, context) => {
  const { client } = await context.api()
  const [chatId, agentGroupId] = [await findChat(client, chat), await findGroup(client, group)]
  const wiring = wiringOf((await client.listWirings({})).wirings, chatId, agentGroupId)
  if (!wiring)
    throw new Failure({
      exit: exit.notFound,
      code: 'wiring_not_found',
      message: `${group} does not listen in ${chat}.`,
      hint: 'See who does with: signalbox chats',
    })
  printResult(
    context,
    await client.removeWiring({ params: { id: wiring.id } }),
    () => `${group} no longer listens in ${chat}.`,
  )
}

export const denyChat: Handler = async ({ args: [chat = ''] }, context) => {
  const { client } = await context.api()
  const id = await findChat(client, chat)
  printResult(context, await client.denyChat({ params: { id } }), (one) => `${nameOf(one)} is ignored.`)
}

export const removeChat: Handler = async ({ args: [chat = ''] }, context) => {
  const { client } = await context.api()
  const id = await findChat(client, chat)
  printResult(context, await client.removeChat({ params: { id } }), () => `Chat ${shortId(id)} was removed.`)
}
