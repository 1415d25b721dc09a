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

const deepest = 100
const longestBlock = 50_000
/** In squares of signs: about half a second of a slow machine. */
const mostWork = 5e7

/** Which blocks are worth making Markdown of: nested quotes and lists, and signs without end, could stop the page. */
export function plainBlocks(blocks: readonly string[]): boolean[] {
  let work = 0
  return blocks.map((block) => {
    const cost = signsIn(block) ** 2
    if (block.length > longestBlock || work + cost > mostWork || isDeep(block)) return true
    work += cost
    return false
  })
}

const signsIn = (block: string): number => block.match(/[*_~`[\]()|@<&!\\]/g)?.length ?? 0

/** `> > 1. - text`: how many are in each other. */
function isDeep(block: string): boolean {
  const container = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y
  return block.split('\n').some((line) => {
    let depth = 0
    for (container.lastIndex = 0; depth <= deepest && container.test(line);) depth += 1
    return depth > deepest
  })
}
