/** One line of a hunk, without its newline. `ended` false: no newline follows it. */
export type HunkLine = { op: ' ' | '+' | '-'; text: string; ended: boolean }

export type Hunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  heading: string
  lines: HunkLine[]
}

/** Lines that can't be read as a diff, starting at `line`. `why` names the line that is wrong. */
export type Unread = { line: number; lines: string[]; why: string }

/**
 * The part of a diff about one file, starting at `line`. `crlf`: the diff itself has CRLF line ends. An empty header:
 * lines that belong to no named file.
 */
export type DiffSection = { header: string[]; hunks: Hunk[]; crlf: boolean; line: number; unread: Unread | null }

const hunkHead = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)/
const inHeader =
  /^(?:(?:old|new|deleted file|new file) mode \d|(?:rename|copy) (?:from|to) |(?:dis)?similarity index |index [\da-f]|={60}|diff -|Binary files )/
const binary = /^(?:GIT binary patch$|Binary files )/

export const isBinary = ({ header }: Pick<DiffSection, 'header'>): boolean => header.some((line) => binary.test(line))

/**
 * The only reader of diffs, valid or not: every line is in a header, in a hunk or unread, so that nothing is ever hidden.
 * Display and counting use these sections; applying and judging use the same ones, if nothing in them is in doubt.
 */
export function scanDiff(lines: readonly string[]): DiffSection[] {
  const sections: DiffSection[] = []
  let at = 0
  while (at < lines.length) {
    if (plain(lines, at) === '') {
      at += 1
      continue
    }
    const { section, next } = beginsFile(lines, at) ? readSection(lines, at) : readUnread(lines, at)
    sections.push(section)
    at = next
  }
  return sections
}

export const linesOf = (diff: string): string[] => {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const plain = (lines: readonly string[], index: number): string => {
  const line = lines[index] ?? ''
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

const isHunk = (lines: readonly string[], at: number): boolean => (lines[at] ?? '').startsWith('@@')

const isNamed = (lines: readonly string[], at: number): boolean =>
  (lines[at] ?? '').startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')

function beginsFile(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  return line.startsWith('diff ') || line.startsWith('Index: ') || line.startsWith('@@ -') || isNamed(lines, at)
}

const newSection = (lines: readonly string[], at: number): DiffSection => ({
  header: [],
  hunks: [],
  crlf: lines[at]?.endsWith('\r') ?? false,
  line: at + 1,
  unread: null,
})

function readUnread(lines: readonly string[], at: number): { section: DiffSection; next: number } {
  const next = endOfUnread(lines, at + 1)
  return { section: { ...newSection(lines, at), unread: unreadFrom(lines, at, next, whyUnread(lines, at)) }, next }
}

const unreadFrom = (lines: readonly string[], at: number, next: number, why: string): Unread => ({
  line: at + 1,
  lines: lines.slice(at, next),
  why,
})

function whyUnread(lines: readonly string[], at: number): string {
  const line = lines[at] ?? ''
  if (line.startsWith('@@')) return wrong(at, 'begins a hunk, but no file was named before it')
  if (line.startsWith('--- ')) return wrong(at, 'names a file, but no line with +++ follows')
  return wrong(at, /^[ +-]/.test(line) ? 'is more than the hunk says it has' : 'is not part of a diff')
}

const wrong = (index: number, why: string): string => `line ${index + 1} ${why}.`

/** The next line that certainly begins a file. */
function endOfUnread(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at += 1) {
    if ((lines[at] ?? '').startsWith('diff --git ')) return at
    if (isNamed(lines, at) && (lines[at + 2] ?? '').startsWith('@@ -')) return at
  }
  return lines.length
}

function readSection(lines: readonly string[], start: number): { section: DiffSection; next: number } {
  const section = newSection(lines, start)
  let at = readHeader(lines, start, section.header)
  let why: string | null = null
  while (!isBinary(section) && isHunk(lines, at)) {
    const read = readHunk(lines, at)
    if ('why' in read) {
      why = read.why
      break
    }
    section.hunks.push(read.hunk)
    at = read.next
  }
  while (at < lines.length && plain(lines, at) === '') at += 1
  const isOver = at >= lines.length || (beginsFile(lines, at) && !isHunk(lines, at))
  // A line that only looks like the start of a file is unread too: each section takes at least one line.
  if (isOver && at > start) return { section, next: at }
  const next = endOfUnread(lines, at + 1)
  section.unread = unreadFrom(lines, at, next, why ?? whyUnread(lines, at))
  return { section, next }
}

/** Adds the lines before the first hunk, and returns where they end. */
function readHeader(lines: readonly string[], start: number, header: string[]): number {
  let named = false
  for (let at = start; at < lines.length; at += 1) {
    const line = plain(lines, at)
    if (line === '' || line.startsWith('@@')) return at
    if (isNamed(lines, at)) {
      header.push(line, plain(lines, at + 1))
      return at + 2
    }
    if (line === 'GIT binary patch') {
      header.push(line)
      return endOfBinary(lines, at + 1)
    }
    if (line.startsWith('diff --git ') || line.startsWith('Index: ')) {
      if (named) return at
      named = true
    } else if (!inHeader.test(line)) return at
    header.push(line)
  }
  return lines.length
}

/** Binary data has its own alphabet; it ends at the first line that does not match it. */
function endOfBinary(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && /^(?:literal \d+|delta \d+|[A-Za-z][\w!#$%&()*+;<=>?@^`{|}~-]+)?$/.test(plain(lines, at)))
    at += 1
  return at
}

/** Reads the hunk at a line, or returns why its lines do not match its header. */
function readHunk(lines: readonly string[], start: number): { hunk: Hunk; next: number } | { why: string } {
  const found = hunkHead.exec(lines[start] ?? '')
  if (found === null) return { why: wrong(start, 'is not the header of a hunk, such as @@ -1,3 +1,4 @@') }
  const [, oldStart = '0', oldLines = '1', newStart = '0', newLines = '1', heading = ''] = found
  const hunk: Hunk = {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
    heading: heading.trimEnd(),
    lines: [],
  }
  const miscounted = { why: wrong(start, 'gives a number of lines that does not fit the hunk') }
  let [oldLeft, newLeft] = [hunk.oldLines, hunk.newLines]
  let at = start + 1
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const last = hunk.lines.at(-1)
    if (line.startsWith('\\')) {
      if (last === undefined || !last.ended) return { why: wrong(at, 'belongs to no line of the hunk') }
      last.ended = false
      continue
    }
    if (oldLeft === 0 && newLeft === 0) break
    // Editors strip the single space of an empty line.
    const isEmpty = line === '' || line === '\r'
    const op = isEmpty ? ' ' : line[0]
    if (op !== ' ' && op !== '+' && op !== '-')
      return { why: wrong(at, 'is not a line of a hunk, or the hunk is too short') }
    if (op !== '+') oldLeft -= 1
    if (op !== '-') newLeft -= 1
    if (oldLeft < 0 || newLeft < 0) return miscounted
    hunk.lines.push({ op, text: isEmpty ? line : line.slice(1), ended: true })
  }
  return oldLeft > 0 || newLeft > 0 ? miscounted : { hunk, next: at }
}
