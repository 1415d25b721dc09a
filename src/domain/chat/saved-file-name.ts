/** Below the workspace. It ignores itself, so that it is in no diff and no commit. */
export const filesFolder = '.chat-files'

const longest = 100

/**
 * A name for a file that somebody sent: one plain name, whatever it was called. It begins with its number, so it is never
 * the name of a file that programs read automatically, such as `CLAUDE.md` or `.envrc`.
 */
export function savedName(index: number, name: string): string {
  const last = name.normalize('NFKC').split(/[/\\]/).at(-1) ?? ''
  const plain = last.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^[._]+/, '')
  const end = Array.from(plain).findLastIndex((letter) => letter !== '.' && letter !== '_') + 1
  // The end says what kind of file it is. Counted in characters, so that none is cut in half.
  const short = Array.from(plain)
    .slice(Math.max(0, end - longest), end)
    .join('')
  return `${index + 1}-${short || 'file'}`
}
