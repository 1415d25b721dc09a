/** Split at empty lines outside code and lists, so that only the last block of a growing text is rendered again. */
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
/** Estimated cost of rendering Markdown, in units of about 10 ns: delimiters are compared with each other. */
const cost = { block: 40_000, line: 15_000, character: 150 }
/** Cost shown at once: some tenths of a second on a slow machine, for any text. */
const mostWork = 3e7

export type BlockPlan = {
  /** Blocks shown as plain text: deep nesting or masses of delimiters could freeze the page. */
  readonly plain: readonly boolean[]
  /** Block counts at which each step ends: the first is shown at once, the others on request. */
  readonly steps: readonly number[]
}

export function planOf(blocks: readonly string[]): BlockPlan {
  const steps: number[] = []
  let work = 0
  const plain = blocks.map((block, index) => {
    const lines = block.split('\n').length
    const made = cost.block + lines * cost.line + block.length * cost.character + signsIn(block) ** 2
    const isPlain = block.length > longestBlock || made > mostWork || isDeep(block)
    const own = isPlain ? mostWork / 10 : made
    if (work > 0 && work + own > mostWork) {
      steps.push(index)
      work = 0
    }
    work += own
    return isPlain
  })
  return { plain, steps: [...steps, blocks.length] }
}

const signsIn = (block: string): number => block.match(/[*_~`[\]()|@<&!\\]/g)?.length ?? 0

/** Nesting depth: `> > 1. - text`. */
function isDeep(block: string): boolean {
  const container = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y
  return block.split('\n').some((line) => {
    let depth = 0
    for (container.lastIndex = 0; depth <= deepest && container.test(line);) depth += 1
    return depth > deepest
  })
}
