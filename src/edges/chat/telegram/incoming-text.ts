import type { Entity } from './frames.ts'

/** Who we are, as people write it. */
export type Self = { readonly id: number; readonly username: string }

const isOurs = (name: string, { username }: Self): boolean => name.toLowerCase() === username.toLowerCase()

/** The text as people see it, without our own mention. A link behind other words is written out. */
export function readText(text: string, entities: readonly Entity[], self: Self): { text: string; mentionsUs: boolean } {
  let read = text
  let mentionsUs = false
  // From the end, so that the offsets before stay right.
  for (const { type, offset, length, url, user } of entities.toSorted((a, b) => b.offset - a.offset)) {
    const [before, inside, after] = [read.slice(0, offset), text.slice(offset, offset + length), offset + length]
    const isMention =
      (type === 'mention' && isOurs(inside.slice(1), self)) || (type === 'text_mention' && user?.id === self.id)
    if (isMention) {
      read = before + read.slice(after)
      mentionsUs = true
    } else if (type === 'text_link' && url && url !== inside) read = `${before}${inside} (${url})${read.slice(after)}`
  }
  return { text: mentionsUs ? read.trim() : read, mentionsUs }
}

/**
 * What a command asks for, or null if the text is not a command for us. `/signalbox …` is ours everywhere; other
 * commands only in a direct chat or with our name, because other bots have commands too.
 */
export function readCommand(text: string, entities: readonly Entity[], self: Self, isDirect: boolean): string | null {
  const command = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  if (!command) return null
  const [name = '', addressee] = text.slice(1, command.length).split('@')
  if (addressee === undefined ? !isDirect && name !== 'signalbox' : !isOurs(addressee, self)) return null
  const words = text.slice(command.length).trim()
  if (name === 'signalbox') return words
  // Telegram sends this at the first contact, with a code if the person came by a link. A link must not start a session.
  if (name === 'start') return words === '' ? 'help' : `link ${words}`
  return `${name} ${words}`.trim()
}
