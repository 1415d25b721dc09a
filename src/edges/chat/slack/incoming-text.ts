const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }
const unescape = (text: string): string => text.replaceAll(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity)

/** Mentions, channels, links and dates are marked by angle brackets; what people type is escaped. */
const mark = /<([^<>]{1,4000})>/g

/** The text as people see it. Our own mention is left out; others stay as `@U…`, channels as `#name`. */
export function readMrkdwn(text: string, own: string | null): { text: string; mentionsUs: boolean } {
  let mentionsUs = false
  const plain = text.replaceAll(mark, (_whole, inside: string) => {
    const [target, label] = splitOnce(inside, '|')
    if (target.startsWith('@')) {
      if (target.slice(1) !== own) return target
      mentionsUs = true
      return ''
    }
    if (target.startsWith('#')) return `#${label || target.slice(1)}`
    // `<!here>`, `<!subteam^S1|@team>`, `<!date^…|text>`.
    if (target.startsWith('!')) return label ?? `@${target.slice(1)}`
    const url = target.replace(/^mailto:/, '')
    return !label || label === target || label === url ? url : `${label} (${url})`
  })
  const read = unescape(plain)
  return { text: mentionsUs ? read.trim() : read, mentionsUs }
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
