import type { Json } from '../../lib/json.ts'
import type { Rendered } from './adapter.ts'

type FileStyle = {
  /** Markdown as texts of messages of at most `limit` characters. */
  texts(markdown: string, limit: number): string[]
  plain(text: string): string
  message(text: string): Rendered
  /** The body of the message with the file. */
  body(caption: string | null): Json
  readonly mostText: number
  readonly mostCaption: number
}

/** A file with its words as a caption, or before it if they are long. */
export function renderFile(
  { name, bytes, text }: { name: string; bytes: Buffer; text: string | null },
  { texts, plain, message, body, mostText, mostCaption }: FileStyle,
): Rendered[] {
  const safeName = name.replaceAll(/[/\\\p{Cc}]/gu, '_').slice(-200) || 'file'
  const messages = () => (text === null ? [] : texts(text, mostText))
  // Platforms take no empty files.
  if (bytes.length === 0) return [...messages(), `${plain(safeName)} (empty file)`].map((part) => message(part))
  const words = text === null ? [] : texts(text, mostCaption)
  const caption = words.length === 1 ? (words[0] ?? null) : null
  const before = words.length > 1 ? messages().map((part) => message(part)) : []
  return [...before, { body: body(caption), file: { name: safeName, bytes } }]
}
