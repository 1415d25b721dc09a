/** Mentions, channels, emoji, times and links without a preview are marked by angle brackets. */
const mark = /<(@!?|@&|#|a?:\w{1,40}:|t:|\/[^:<>]{1,200}:)(-?\d{1,20})(?::\w)?>|<(https?:\/\/[^<>\s]{1,2000})>/g

type Names = { readonly own: string | null; person(id: string): string | null; channel(id: string): string | null }

/** The text as people see it. Our own mention is left out; others stay as `@name`, channels as `#name`. */
export function readMarks(text: string, { own, person, channel }: Names): { text: string; mentionsUs: boolean } {
  let mentionsUs = false
  const plain = text.replaceAll(mark, (whole, kind: string | undefined, id: string, url: string | undefined) => {
    if (url !== undefined) return url
    if (kind === '@' || kind === '@!') {
      if (id !== own) return `@${person(id) ?? id}`
      mentionsUs = true
      return ''
    }
    if (kind === '@&') return `@${id}`
    if (kind === '#') return `#${channel(id) ?? id}`
    if (kind === 't:') return timeOf(id) ?? whole
    if (kind?.startsWith('/')) return kind.slice(0, -1)
    return (kind ?? '').replace(/^a/, '')
  })
  return { text: mentionsUs ? plain.trim() : plain, mentionsUs }
}

function timeOf(seconds: string): string | null {
  const time = new Date(Number(seconds) * 1000)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
