/** One line of a hunk. `text` is the bytes of the line, one character a byte, without its newline. */
export type HunkLine = { op: ' ' | '+' | '-'; text: string; ended: boolean }

export type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: HunkLine[] }

/** What a diff says about one file. `crlf` means that the diff itself was written with CRLF line ends. */
export type Section = { header: string[]; hunks: Hunk[]; crlf: boolean; line: number }

/** Says what is wrong with a diff, and where. */
export class MalformedDiff extends Error {}

const starts = /^(?:diff |Index: |--- )/
const hunkHeader =
  /^@@ -(?<oldStart>\d{1,9})(?:,(?<oldLines>\d{1,9}))? \+(?<newStart>\d{1,9})(?:,(?<newLines>\d{1,9}))? @@/
const known = [
  /^(?:old|new|deleted file|new file) mode \d+$/,
  /^(?:rename|copy) (?:from|to) ./,
  /^(?:similarity|dissimilarity) index \d+%$/,
  /^index [\da-f,]+\.\.[\da-f]+(?: \d+)?$/,
  /^={60,}$/,
  /^diff -/,
]
/** More is nothing a person could look at, and every one of them is looked at by us. */
const mostFiles = 1000
const binary = /^(?:GIT binary patch|Binary files .* differ)$/

/** Cuts a diff into its files and hunks. Every line must be accounted for: what is passed over could be meant to be applied. */
export function readSections(diff: string): Section[] {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const sections: Section[] = []
  let at = 0

  const plain = (index: number): string => (lines[index] ?? '').replace(/\r$/, '')
  const wrong = (index: number, why: string): MalformedDiff => new MalformedDiff(`line ${index + 1} ${why}.`)

  const readHeader = (): Section => {
    const section: Section = { header: [], hunks: [], crlf: lines[at]?.endsWith('\r') ?? false, line: at + 1 }
    let named = false
    for (; at < lines.length; at += 1) {
      const line = plain(at)
      if (line === '' || line.startsWith('@@')) return section
      if (binary.test(line)) throw wrong(at, 'is a binary patch; only text can be changed by a diff')
      if (line.startsWith('--- ')) {
        if (!plain(at + 1).startsWith('+++ ')) throw wrong(at, 'names a file, but no line with +++ follows')
        section.header.push(line, plain(at + 1))
        at += 2
        return section
      }
      if (line.startsWith('diff --git ') || line.startsWith('Index: ')) {
        if (named) return section
        named = true
      } else if (!known.some((pattern) => pattern.test(line))) {
        throw wrong(at, 'is not part of a diff')
      }
      section.header.push(line)
    }
    return section
  }

  while (at < lines.length) {
    if (plain(at) === '') {
      at += 1
      continue
    }
    if (plain(at).startsWith('@@')) throw wrong(at, 'starts a hunk, but no file was named before it')
    if (!starts.test(plain(at))) throw wrong(at, 'is not part of a diff')
    const section = readHeader()
    while (plain(at).startsWith('@@')) {
      const { hunk, next } = readHunk(lines, at, wrong)
      section.hunks.push(hunk)
      at = next
    }
    checkOrder(section)
    sections.push(section)
    if (sections.length > mostFiles) throw new MalformedDiff(`it changes more than ${mostFiles} files.`)
  }
  if (sections.length === 0) throw new MalformedDiff('it names no file.')
  return sections
}

function readHunk(
  lines: readonly string[],
  start: number,
  wrong: (index: number, why: string) => MalformedDiff,
): { hunk: Hunk; next: number } {
  const found = hunkHeader.exec(lines[start] ?? '')?.groups
  if (found === undefined) throw wrong(start, 'is not the header of a hunk, such as @@ -1,3 +1,4 @@')
  const count = (text: string | undefined): number => (text === undefined ? 1 : Number(text))
  const hunk: Hunk = {
    oldStart: Number(found['oldStart']),
    oldLines: count(found['oldLines']),
    newStart: Number(found['newStart']),
    newLines: count(found['newLines']),
    lines: [],
  }
  let [oldLeft, newLeft] = [hunk.oldLines, hunk.newLines]
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const last = hunk.lines.at(-1)
    if (line.startsWith('\\')) {
      if (last === undefined || !last.ended) throw wrong(at, 'does not belong to a line of the hunk')
      last.ended = false
      continue
    }
    if (oldLeft === 0 && newLeft === 0) break
    // Editors take the one space of an empty line away.
    const op = line === '' || line === '\r' ? ' ' : line[0]
    if (op !== ' ' && op !== '+' && op !== '-') throw wrong(at, 'is not a line of a hunk, or the hunk is too short')
    if (op !== '+') oldLeft -= 1
    if (op !== '-') newLeft -= 1
    if (oldLeft < 0 || newLeft < 0) throw wrong(start, 'gives a line count that does not match the hunk')
    const text = line === '' || line === '\r' ? line : line.slice(1)
    hunk.lines.push({ op, text: bytesOf(text), ended: true })
  }
  if (oldLeft > 0 || newLeft > 0) throw wrong(start, 'gives a line count that does not match the hunk')
  if (at < lines.length && /^[ +]|^-(?!-- )/.test(lines[at] ?? '')) throw wrong(at, 'is more than the hunk says it has')
  if (!hunk.lines.some(({ op }) => op !== ' ')) throw wrong(start, 'starts a hunk that changes nothing')
  if (endsTooEarly(hunk)) throw wrong(start, 'starts a hunk with lines after the end of the file')
  return { hunk, next: at }
}

/** A line without a newline is the last one of its side. */
const endsTooEarly = ({ lines }: Hunk): boolean =>
  (['-', '+'] as const).some((side) =>
    lines
      .filter(({ op }) => op === ' ' || op === side)
      .slice(0, -1)
      .some(({ ended }) => !ended),
  )

function checkOrder({ hunks, line }: Section): void {
  let end = 0
  for (const { oldStart, oldLines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1
    if (start < end) throw new MalformedDiff(`the hunks of the file at line ${line} overlap or are out of order.`)
    end = start + oldLines
  }
}

const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
