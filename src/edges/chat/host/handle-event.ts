import type { ChatCommands } from '../../../app/chat/commands/run-command.ts'
import type { SaidAt } from '../../../app/chat/commands/call.ts'
import type { TakeIncoming, Taken } from '../../../app/chat/take-incoming.ts'
import type { Incoming, IncomingMessage } from '../../../domain/chat/incoming.ts'
import type { InboxRow } from '../../../domain/chat/records.ts'
import { iso } from '../../../lib/clock.ts'
import type { Fault } from '../../../lib/result.ts'
import { createAnswers, type Spoken } from './answers.ts'
import type { Connected, Connections } from './connections.ts'
import type { HostDeps } from './instance-deps.ts'
import { createNames } from './names.ts'

type Deps = Pick<HostDeps, 'app' | 'posts' | 'clock' | 'log'> & {
  connections: Pick<Connections, 'get'>
  take: TakeIncoming
  commands: ChatCommands
}

type Clicked = Extract<Incoming, { kind: 'click' }>

/** Handles one stored event: a message for agents or a command, a button, a form. Then its row is settled. */
export function createEventHandler({ app, clock, log, connections, posts, take, commands }: Deps) {
  const names = createNames(clock.now)
  const answer = createAnswers({ app, posts, clock, log })

  const inletOf = ({ instance, platform, connection }: Connected) => ({
    id: instance.id,
    platform: instance.platform,
    name: instance.name,
    opensThreads: platform.opensThreads,
    fetchFile: connection.fetchFile,
  })

  const saidAt = (row: InboxRow, { chat, thread, sender }: Spoken, to: Connected): SaidAt => ({
    sender,
    chat,
    thread,
    inboxId: row.id,
    inlet: inletOf(to),
  })

  async function message(row: InboxRow, event: IncomingMessage, to: Connected): Promise<void> {
    const { mentionsUs, text, sender } = event
    if (mentionsUs && !sender.isBot && (await commands.isCommand(text))) {
      const said = { ...saidAt(row, event, to), text, messageId: event.messageId }
      await answer(row, event, to, await commands.run(said))
      return settle(row)
    }
    const taken = await take(row, event, inletOf(to))
    for (const fault of faultsOf(taken)) await answer(row, event, to, { to: 'sender', content: textOf(fault) })
  }

  /** Forms open where the platform has them; else the person is asked to reply in words. */
  async function click(row: InboxRow, event: Clicked, to: Connected): Promise<void> {
    const { action, messageId, chat, thread, reply } = event
    const pressed = { ...saidAt(row, event, to), action, messageId }
    const { openForm } = to.connection
    const first = await commands.press({ ...pressed, forms: openForm !== undefined })
    // Silence, or a card that shows the answer.
    if (first.reply === null && !first.form) return to.connection.acknowledge?.(reply)
    if (!first.form || !openForm) return answer(row, event, to, first.reply)
    const opened = await openForm(first.form, { chat: chat.id, thread, messageId }, reply)
    if (opened.kind === 'opened') return
    const again = await commands.press({ ...pressed, forms: false })
    await answer(row, event, to, again.reply)
  }

  const settle = (row: InboxRow) => app.chat.inbox.settle(row.id, { status: 'done' }, iso(clock.now()))

  return async function handle(row: InboxRow): Promise<void> {
    const to = connections.get(row.instanceId)
    // Another node has it now.
    if (!to) return
    const event = await names.named(row.event, row.instanceId, to.connection)
    switch (event.kind) {
      case 'message':
        return message(row, event, to)
      case 'click':
        await click(row, event, to)
        return settle(row)
      case 'command':
        await answer(
          row,
          event,
          to,
          await commands.run({ ...saidAt(row, event, to), text: event.text, messageId: null }),
        )
        return settle(row)
      case 'form': {
        const { action, messageId, text } = event
        await answer(row, event, to, await commands.submit({ ...saidAt(row, event, to), action, messageId, text }))
        return settle(row)
      }
      case 'joined':
      case 'left':
        return settle(row)
      default:
        event satisfies never
    }
  }
}

/** What someone we know should hear; strangers get no answer, and their messages have no faults. */
const faultsOf = ({ status, deliveries, fault }: Taken): readonly Fault[] => {
  if (status === 'waiting') return []
  const faults = [fault, ...deliveries.map((one) => one.fault)].filter((one) => one !== null && one !== undefined)
  return [...new Map(faults.map((one) => [one.message, one])).values()]
}

const textOf = ({ message, hint }: Fault) => ({
  kind: 'text' as const,
  text: hint === undefined ? message : `${message} ${hint}`,
})
