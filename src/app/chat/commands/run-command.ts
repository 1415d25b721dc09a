import { loadGiven } from '../../../domain/chat/store-inbox.ts'
import { readAction, type CardAction } from '../card-actions.ts'
import type { Caller, ChatCommandsDeps, CommandHandler, Said } from './call.ts'
import { createCallers } from './callers.ts'
import { isCommandName, type CommandName } from './command-table.ts'
import { createFindSession } from './find-session.ts'
import { createFits } from './fits.ts'
import { createGiveAnswer } from './give-answer.ts'
import { createLink } from './link-command.ts'
import { createLookCommands, unknownCommand } from './look-commands.ts'
import { createPresses, unknownButton, type Pressed, type PressedButton, type SubmittedForm } from './press.ts'
import { createQueueCommands } from './queue-commands.ts'
import type { Reply } from './reply.ts'
import { createSessionCommands } from './session-commands.ts'
import { createStartCommand } from './start-command.ts'
import { wordsOf } from './words.ts'
import { createWorkspaceCommands } from './workspace-commands.ts'

type Picked = Extract<CardAction, { on: 'pick' }>

/** What people do in chats besides writing to agents: commands, buttons and forms. Strangers meet silence. */
export type ChatCommands = {
  /** `/signalbox …`, or a mention that `isCommand`. */
  run(said: Said): Promise<Reply>
  /** Whether a text after a mention is a command rather than a message for the agent. */
  isCommand(text: string): Promise<boolean>
  /** Authorised first: a wrong click changes nothing, and only the person who clicked is told why. */
  press(pressed: PressedButton): Promise<Pressed>
  submit(submitted: SubmittedForm): Promise<Reply>
}

export function createChatCommands(deps: ChatCommandsDeps): ChatCommands {
  const callers = createCallers(deps)
  const sessions = createFindSession(deps)
  const answers = createGiveAnswer(deps)
  const presses = createPresses(deps, answers)
  const link = createLink(deps, callers)
  const handlers: Readonly<Record<Exclude<CommandName, 'link'>, CommandHandler>> = {
    ...createLookCommands(deps, sessions),
    ...createSessionCommands(deps, sessions, answers),
    ...createQueueCommands(deps, sessions),
    ...createWorkspaceCommands(deps, sessions),
    start: createStartCommand(deps, callers),
  }

  /** The command for which a session was picked, as it was given and by the same person. */
  async function again(pressed: PressedButton, { command: event, ending: picked }: Picked, by: Caller): Promise<Reply> {
    const given = await loadGiven(deps.database.read, event)
    if (!given || given.sender.identity !== pressed.sender.identity) return unknownButton
    const said: Said = { ...pressed, ...given, inboxId: pressed.inboxId }
    const words = wordsOf(said.text)
    const name = words[0]?.text.toLowerCase() ?? ''
    if (!isCommandName(name) || name === 'link') return unknownButton
    return handlers[name]({ name, said, words, by, chat: await callers.chatOf(said), picked, event })
  }

  return {
    isCommand: createFits(deps),

    async run(said) {
      const by = await callers.callerOf(said)
      const words = wordsOf(said.text)
      const name = words[0]?.text.toLowerCase() ?? 'help'
      if (!by) {
        const isProof = name === 'link' && words.length === 2 && !said.sender.isBot
        return isProof ? link(said, words[1]?.text, null) : callers.countStranger(said)
      }
      const slow = callers.tooFast(by)
      if (slow) return slow.reply
      if (!isCommandName(name)) return unknownCommand({ said }, name)
      if (name === 'link') return link(said, words[1]?.text, by)
      const chat = await callers.chatOf(said)
      return handlers[name]({ name, said, words, by, chat, picked: null, event: said.inboxId })
    },

    async press(pressed) {
      const by = await callers.callerOf(pressed)
      if (!by) return { reply: await callers.countStranger(pressed), form: null }
      const slow = callers.tooFast(by)
      if (slow) return { reply: slow.reply, form: null }
      const action = readAction(pressed.action)
      return action?.on === 'pick'
        ? { reply: await again(pressed, action, by), form: null }
        : presses.press(pressed, by)
    },

    async submit(submitted) {
      const by = await callers.callerOf(submitted)
      if (!by) return callers.countStranger(submitted)
      const slow = callers.tooFast(by)
      return slow ? slow.reply : presses.submit(submitted, by)
    },
  }
}
