/** What a request contains, in any dialect. */
export type Talk = { items: Item[]; tools: Tool[] }
export type Item = { kind: 'text'; role: string; text: string } | { kind: 'call'; name: string } | Outcome
export type Outcome = { kind: 'outcome'; text: string }

export type Tool = {
  name: string
  namespace?: string | undefined
  /** Accepts free text instead of JSON. */
  custom?: boolean
  schema: Schema
}

export type Schema = {
  type?: string
  enum?: string[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

export type Call = { id: string; tool: Tool; args: unknown }

/** What the model does with one request. */
export type Reply = {
  think: string
  /** Word by word, at the script's speed; ends early when nobody is listening. */
  words: AsyncIterable<string>
  calls: Call[]
}

export type Wire = {
  json(body: unknown): void
  /** Starts a stream of server-sent events; the function sends one. */
  stream(): (data: unknown, event?: string) => void
  end(): void
}

/** One of the protocols that model providers use. */
export type Dialect = {
  read(body: string): Talk
  write(wire: Wire, reply: Reply, request: { body: string; streamed: boolean }): Promise<void>
}

export const usage = { read: 120, written: 30 }

type Block = { text?: string }

/** The text of a content that may be a string, one block or many. */
export function textOf(content: string | Block | Block[] | null | undefined): string {
  if (typeof content === 'string') return content
  return [content ?? []]
    .flat()
    .map(({ text = '' }) => text)
    .join('\n')
}

export async function allOf(words: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const word of words) text += word
  return text
}

export const wordsOf = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

let made = 0

export const newId = (prefix: string): string => `${prefix}${(made += 1).toString(36).padStart(6, '0')}`
