import type { ChatPlatform } from '../../client/contract/chat-instances.ts'
import type { ChatInstance } from '../../domain/chat-instance/schema.ts'
import { renderFields, type Cell, type Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { findChat, findInstance } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import type { Colour } from '../output.ts'
import { printResult, tableOr } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { relativeTime } from '../times.ts'
import { waitForInstance } from './wait-for-instance.ts'

const stateColours: Readonly<Record<ChatInstance['state'], Colour>> = {
  connected: 'green',
  connecting: 'yellow',
  reconnecting: 'yellow',
  refused: 'red',
  stopped: 'dim',
}
const stateCell = ({ state }: ChatInstance): Cell => ({ text: state, colour: stateColours[state] })

export const listInstances: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  printResult(context, (await client.listChatInstances({})).instances, (instances) => {
    const short = shortener(instances.map(({ id }) => id))
    const columns: Column<ChatInstance>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'PLATFORM', cell: ({ platform }) => platform },
      { title: 'TITLE', cell: ({ title }) => title, shrinks: true },
      { title: 'STATE', cell: stateCell },
      { title: 'SINCE', cell: ({ stateAt }) => relativeTime(stateAt, context.now()) },
      { title: 'ERROR', cell: ({ stateError }) => stateError ?? '', shrinks: true },
    ]
    return tableOr(context, instances, columns, `No chat accounts. Add one with: ${programName()} chat add slack`)
  })
}

export function sayInstance(context: Context, instance: ChatInstance): void {
  printResult(context, instance, (one) =>
    renderFields(
      [
        ['Account', one.id],
        ['Name', one.name],
        ['Platform', one.platform],
        ['Title', one.title],
        ['Wanted', one.wanted],
        ['State', stateCell(one)],
        ['Error', one.stateError],
        ['Since', relativeTime(one.stateAt, context.now())],
        ['Added', relativeTime(one.createdAt, context.now())],
      ],
      context.out,
    ),
  )
}

export const showInstance: Handler = async ({ args: [instance = ''] }, context) => {
  const { client } = await context.api()
  sayInstance(context, await client.getChatInstance({ params: { id: await findInstance(client, instance) } }))
}

export const startInstance: Handler = async ({ args: [instance = ''] }, context) => {
  const { client } = await context.api()
  const id = await findInstance(client, instance)
  await client.startChatInstance({ params: { id } })
  sayInstance(context, await waitForInstance(client, id, context))
}

export const stopInstance: Handler = async ({ args: [instance = ''] }, context) => {
  const { client } = await context.api()
  const id = await findInstance(client, instance)
  await client.stopChatInstance({ params: { id } })
  sayInstance(context, await waitForInstance(client, id, context))
}

export const removeInstance: Handler = async ({ args: [instance = ''] }, context) => {
  const { client } = await context.api()
  const id = await findInstance(client, instance)
  printResult(
    context,
    await client.removeChatInstance({ params: { id } }),
    () => `Chat account ${shortId(id)} was removed, and its credentials were deleted.`,
  )
}

export const checkInstance: Handler = async ({ args: [instance = ''] }, context) => {
  const { client } = await context.api()
  const checked = await client.checkChatInstance({ params: { id: await findInstance(client, instance) } })
  printResult(context, checked, ({ self }) => `The credentials work${self ? `: ${selfText(self)}` : ''}.`)
  if (!context.json) for (const warning of checked.warnings) context.out.note(`Warning: ${warning}`)
}

export const selfText = ({ name, workspace }: { name: string; workspace: string | null }): string =>
  workspace === null ? `signed in as ${name}` : `signed in as ${name} in ${workspace}`

export const testChat: Handler = async ({ args: [chat = ''] }, context) => {
  const { client } = await context.api()
  const id = await findChat(client, chat)
  printResult(context, await client.testChat({ params: { id } }), ({ connected }) =>
    connected
      ? `Test message queued for ${chat}.`
      : `The account of ${chat} is not connected. The test message is sent once it is; see: signalbox chat list`,
  )
}

const deliveryText: Readonly<Record<ChatPlatform['delivery'], string>> = {
  once: 'once',
  at_least_once: 'at least once',
}

export const listPlatforms: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  printResult(context, (await client.listChatPlatforms({})).platforms, (platforms) => {
    const columns: Column<ChatPlatform>[] = [
      { title: 'PLATFORM', cell: ({ name }) => name },
      { title: 'TITLE', cell: ({ title }) => title },
      {
        title: 'CREDENTIALS',
        cell: ({ fields }) => fields.map(({ name, required }) => (required ? name : `[${name}]`)).join(', '),
        shrinks: true,
      },
      { title: 'ARRIVES', cell: ({ delivery }) => deliveryText[delivery] },
    ]
    return tableOr(context, platforms, columns, 'No chat platforms.')
  })
}

export const showManifest: Handler = async ({ args: [name = ''] }, context) => {
  const { client } = await context.api()
  printResult(context, await client.getChatManifest({ params: { name } }), ({ manifest }) => manifest)
}
