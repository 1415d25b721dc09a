const enough = 512

/** The text added since `before`. Both are tails of a longer text and may lack its start. */
export function newText(before: string, now: string): string {
  if (before === '' || now.startsWith(before)) return now.slice(before.length)
  const tail = before.slice(-enough)
  const at = now.lastIndexOf(tail)
  return at === -1 ? now : now.slice(at + tail.length)
}
