/** A line of a message. `block` numbers the code block it is in; null for prose. `language` is the same for the block. */
export type Line = { readonly text: string; readonly block: number | null; readonly language?: string }

/** What begins and ends a code block, with the line ends that belong to it. */
export type Fence = { readonly open: string; readonly close: string }
const backticks: Fence = { open: '```\n', close: '\n```' }
const openOf = ({ open }: Fence, { language = '' }: Line): string =>
  language === '' ? open : open.replace(/\n$/, () => `${language}\n`)

/**
 * Joins lines to messages of at most `limit` characters. Breaks after a paragraph if one ends in the second half of the
 * message, else after a line, else after a word. A code block that is broken is closed and opened again.
 * `cut` finds where a line that is too long may be broken, at or before `most`.
 */
export function splitLines(
  lines: readonly Line[],
  limit: number,
  cut: (text: string, most: number) => number = cutAtWord,
  fence: Fence = backticks,
): string[] {
  const fenceSize = (line: Line): number => openOf(fence, line).length + fence.close.length
  const parts: string[] = []
  let part: Line[] = []
  let size = 0

  const grows = (line: Line): number => {
    const last = part.at(-1)
    const opens = line.block !== null && last?.block !== line.block
    return line.text.length + (last ? 1 : 0) + (opens ? fenceSize(line) : 0)
  }
  const push = (line: Line): void => {
    size += grows(line)
    part.push(line)
  }
  /** Closes the part, and continues with the lines after the end of its last paragraph. */
  const close = (): void => {
    const at = paragraphEnd(part, limit / 2)
    const rest = part.slice(at)
    const joined = joinLines(part.slice(0, at), fence)
    if (joined !== '') parts.push(joined)
    part = []
    size = 0
    for (const line of rest) push(line)
  }

  for (const line of lines.flatMap((one) => shortened(one, limit - fenceSize(one), cut))) {
    while (part.length > 0 && size + grows(line) > limit) close()
    push(line)
  }
  const last = joinLines(part, fence)
  if (last !== '') parts.push(last)
  return parts
}

/** The number of lines up to the last end of a paragraph or code block after `least` characters; all if there is none. */
function paragraphEnd(part: readonly Line[], least: number): number {
  let size = part.reduce((sum, { text }) => sum + text.length + 1, 0)
  for (let at = part.length - 1; at > 0 && size > least; at -= 1) {
    const [before, after] = [part[at - 1], part[at]]
    size -= (after?.text.length ?? 0) + 1
    const isParagraph = after?.block === null && after.text.trim() === ''
    if (size > least && (isParagraph || (before?.block !== after?.block && after?.block !== null))) return at
  }
  return part.length
}

/** Without blank lines around it. */
function joinLines(lines: readonly Line[], fence: Fence): string {
  const isBlank = (line: Line | undefined) => line?.block === null && line.text.trim() === ''
  let [from, to] = [0, lines.length]
  while (from < to && isBlank(lines[from])) from += 1
  while (to > from && isBlank(lines[to - 1])) to -= 1
  const out: string[] = []
  for (let at = from; at < to; at += 1) {
    const line = lines[at] as Line
    const { text, block } = line
    const opens = block !== null && (at === from || lines[at - 1]?.block !== block)
    const closes = block !== null && (at === to - 1 || lines[at + 1]?.block !== block)
    out.push(`${opens ? openOf(fence, line) : ''}${text}${closes ? fence.close : ''}`)
  }
  return out.join('\n')
}

function shortened(line: Line, most: number, cut: (text: string, most: number) => number): Line[] {
  if (line.text.length <= most) return [line]
  const pieces: Line[] = []
  let rest = line.text
  while (rest.length > most) {
    const at = Math.max(1, cut(rest, most))
    pieces.push({ ...line, text: rest.slice(0, at) })
    rest = rest.slice(at)
  }
  return [...pieces, { ...line, text: rest }]
}

/** After the last space of the second half, else at `most`, but never inside a character. */
export function cutAtWord(text: string, most: number): number {
  const space = text.lastIndexOf(' ', most - 1)
  if (space >= most / 2) return space + 1
  const isInside = /[\udc00-\udfff]/.test(text.charAt(most)) && /[\ud800-\udbff]/.test(text.charAt(most - 1))
  return isInside ? most - 1 : most
}
