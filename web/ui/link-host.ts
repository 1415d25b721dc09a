/** As somebody may write an address: with or without its beginning and its last stroke. */
const bare = (address: string): string =>
  address
    .trim()
    .replace(/^(https?:\/\/|mailto:)/i, '')
    .replace(/\/$/, '')
    .toLowerCase()

/** Where a link leads, in as few words as tell; null where its text says so itself. */
export function hostBeside(href: string, text: string): string | null {
  const { protocol, host, username, pathname } = new URL(href)
  if (protocol === 'mailto:') return bare(text) === bare(href) ? null : decoded(pathname)
  // A name before an @ looks like the host, and so do letters of other alphabets.
  return bare(text) === bare(href) && username === '' && bare(text).startsWith(host) ? null : host
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
