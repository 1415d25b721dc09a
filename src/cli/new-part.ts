const enough = 512

/** What the end of a text has that an earlier end of it had not; both may have lost their beginnings. */
export function newPart(before: string, now: string): string {
  if (before === '' || now.startsWith(before)) return now.slice(before.length)
  const tail = before.slice(-enough)
  const at = now.lastIndexOf(tail)
  return at === -1 ? now : now.slice(at + tail.length)
}
