import type { Access } from './access.ts'
import type { FileRef, IncomingMessage } from './incoming.ts'

/** One line without control characters, so that a name can't look like more than a name. */
const oneLine = (text: string, longest: number): string =>
  text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, longest)

const nameOf = ({ sender }: IncomingMessage, access: Access): string => {
  // A colon ends the name.
  const name = oneLine((sender.name ?? '').replaceAll(/[:：]/g, ' '), 80) || sender.identity
  return access === 'known' ? name : `${name} (not a member)`
}

/** Where a file was saved, below the workspace, or why it was not. */
export type SavedFile = { readonly path: string } | { readonly problem: string }
type SavedFiles = ReadonlyMap<FileRef, SavedFile>

/** The end of the line is ours: a name or a type can't contain what ends it. */
const inBrackets = (text: string): string => oneLine(text.replaceAll(/[[\],]/g, ' '), 200)

function fileLine({ name, mime, bytes }: FileRef, saved: SavedFile | undefined): string {
  const what = [inBrackets(name), inBrackets(mime ?? ''), bytes === null ? '' : `${bytes} bytes`]
  const place = saved && ('path' in saved ? `saved as ${saved.path}` : `not available: ${saved.problem}`)
  return `[file: ${[...what, place].filter((part) => part).join(', ')}]`
}

const wordsOf = ({ text, files }: IncomingMessage, saved: SavedFiles): string =>
  [text.trim(), ...files.map((file) => fileLine(file, saved.get(file)))].filter((line) => line !== '').join('\n')

/** Only the first line of a message begins with a name: nobody can write a line that looks like somebody else's. */
const indented = (text: string): string => text.replaceAll(/\r\n?|[\n\v\f\u0085\u2028\u2029]/g, '\n  ')

export type Said = { readonly message: IncomingMessage; readonly access: Access }

const mostContext = 20_000

/** The text that an agent gets: who wrote it if several people can, and what was said before without addressing it. */
export function promptOf({ message, access }: Said, before: readonly Said[], saved: SavedFiles = new Map()): string {
  const line = (said: Said) => `${nameOf(said.message, said.access)}: ${indented(wordsOf(said.message, saved))}`
  const now = message.chat.isDirect && access === 'known' ? wordsOf(message, saved) : line({ message, access })
  if (before.length === 0) return now
  const context = before.map(line).join('\n')
  // The newest part says most.
  const kept = context.length > mostContext ? `…${context.slice(-mostContext)}` : context
  return `Said before in this chat:\n${kept}\n\n${now}`
}
