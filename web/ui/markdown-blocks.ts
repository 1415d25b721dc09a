/** Cut at empty lines outside of code and lists, so that while a text grows only its last piece is made anew. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let current: string[] = []
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const inCode = fence !== null
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === null ? mark : line.trim().startsWith(fence) ? null : fence
    const starts = !inCode && /^\S/.test(line) && !/^([-*+>|]|\d+[.)])/.test(line)
    if (starts && current.at(-1)?.trim() === '' && current.length > 4) {
      blocks.push(current.join('\n'))
      current = []
    }
    current.push(line)
  }
  if (current.length > 0) blocks.push(current.join('\n'))
  return blocks
}
