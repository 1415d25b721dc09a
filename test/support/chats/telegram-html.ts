/**
 * Telegram's HTML, as strictly as its documentation describes it. The text is what people see; what `parse_mode` cannot
 * read is an error, as on the platform.
 */

export type TelegramEntity = {
  type: string
  offset: number
  length: number
  url?: string
  user?: { id: number }
}
export type ParsedHtml = { text: string; entities: TelegramEntity[] } | { problem: string }

const types = new Map(
  Object.entries({
    b: 'bold',
    strong: 'bold',
    i: 'italic',
    em: 'italic',
    u: 'underline',
    s: 'strikethrough',
    del: 'strikethrough',
    code: 'code',
    pre: 'pre',
    blockquote: 'blockquote',
    a: 'text_link',
  }),
)
const characters = new Map(Object.entries({ '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' }))
const token = /<(\/?)([a-z-]*)(?: href="([^"<>]*)")?>|<|>|&(?:lt|gt|amp|quot);|[^<>&]+|&/g

export function parseHtml(html: string): ParsedHtml {
  const entities: TelegramEntity[] = []
  const open: { tag: string; at: number; url: string | undefined }[] = []
  let text = ''
  for (const [whole, slash, tag, url] of html.matchAll(token)) {
    if (tag === undefined) {
      if (whole === '<') return { problem: 'Unsupported start tag' }
      text += characters.get(whole) ?? whole
    } else if (!types.has(tag)) return { problem: `Unsupported start tag "${tag}"` }
    else if (slash === '') open.push({ tag, at: text.length, url })
    else {
      const opened = open.pop()
      if (opened?.tag !== tag) return { problem: `Unmatched end tag, expected "</${opened?.tag}>", found "${whole}"` }
      entities.push(entityOf(opened.tag, opened.at, text.length - opened.at, opened.url))
    }
  }
  const [left] = open
  if (left) return { problem: `Can't find end tag corresponding to start tag "${left.tag}"` }
  const seen = entities.filter(({ length }) => length > 0)
  return { text, entities: [...seen, ...mentionsIn(text, seen)].toSorted((a, b) => a.offset - b.offset) }
}

function entityOf(tag: string, offset: number, length: number, url: string | undefined): TelegramEntity {
  const person = /^tg:\/\/user\?id=(\d+)$/.exec(url ?? '')?.[1]
  if (person !== undefined) return { type: 'text_mention', offset, length, user: { id: Number(person) } }
  return { type: types.get(tag) ?? tag, offset, length, ...(url !== undefined && { url }) }
}

/** Telegram finds names itself, also in messages of bots, but not in code. */
function mentionsIn(text: string, entities: readonly TelegramEntity[]): TelegramEntity[] {
  const isCode = (at: number) =>
    entities.some(
      ({ type, offset, length }) => (type === 'code' || type === 'pre') && at >= offset && at < offset + length,
    )
  return [...text.matchAll(/(?<![\p{L}\p{N}_])@[A-Za-z0-9_]{2,32}(?![\p{L}\p{N}_])/gu)].flatMap(({ index, 0: name }) =>
    isCode(index) ? [] : [{ type: 'mention', offset: index, length: name.length }],
  )
}
