/** An address as people write it, with or without scheme and trailing slash. */
const bare = (address: string): string =>
  address
    .trim()
    .replace(/^(https?:\/\/|mailto:)/i, '')
    .replace(/\/$/, '')
    .toLowerCase()

/** The host a link leads to; null if its text already says so. */
export function hostBeside(href: string, text: string): string | null {
  const { protocol, host, username, pathname } = new URL(href)
  if (protocol === 'mailto:') return bare(text) === bare(href) ? null : decoded(pathname)
  // A user name before @ and letters of other alphabets can look like the host.
  return bare(text) === bare(href) && username === '' && bare(text).startsWith(host) ? null : host
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
