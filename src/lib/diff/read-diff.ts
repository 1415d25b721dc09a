import { parsePatch, type StructuredPatch } from 'diff'
import { fail, ok, type Failed, type Result } from '../result.ts'
import { isBinary, linesOf, scanDiff, type DiffSection, type Hunk } from './scan-diff.ts'

export const invalidDiff = (why: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'invalid_diff',
    message: `The diff can't be read: ${why}`,
    hint: 'Send a unified diff as git diff prints it, or the whole content of the file. Nothing was written.',
  })

/** The change of one file. `from` null: created; `to` null: deleted; both and different: renamed or copied. */
export type FileChange = {
  from: string | null
  to: string | null
  copy: boolean
  /** Null: unchanged. */
  executable: boolean | null
  hunks: Hunk[]
  crlf: boolean
}

/** Whether a text is a diff; otherwise it is the whole content of a file. */
export function readsAsDiff(text: string): boolean {
  const start = /[^\s\uFEFF]/.exec(text)?.index ?? text.length
  const body = text.slice(start)
  const has = (line: RegExp): boolean => line.test(body)
  if (/^(?:diff --git |@@ -\d|From [\da-f]{40} Mon Sep 17 00:00:00 2001)/.test(body)) return true
  if (/^--- \S/.test(body)) return has(/^(?:\+\+\+ |@@ -\d)/m)
  if (body.startsWith('+++ ')) return has(/^@@ -\d/m)
  return /^(?:Index: |diff -)/.test(body) && has(/^(?:--- |@@ -\d|={60,}\r?$)/m)
}

/** Reads a unified diff. Names have the prefixes a/ and b/, or none; if it is ambiguous, `prefixed` decides. */
export function readDiff(text: string, prefixed: boolean): Result<FileChange[]> {
  try {
    const sections = scanDiff(linesOf(text.replace(/^\uFEFF/, '')))
    if (sections.length === 0) throw new MalformedDiff('it names no file.')
    if (sections.length > mostFiles) throw new MalformedDiff(`it changes more than ${mostFiles} files.`)
    for (const section of sections) check(section)
    return ok(sections.map((section) => changeOf(section, prefixed)))
  } catch (error) {
    if (error instanceof MalformedDiff) return invalidDiff(error.message)
    throw error
  }
}

/** What is wrong with a diff, and where. */
class MalformedDiff extends Error {}

/** Nobody could review more, and we check each of them. */
const mostFiles = 1000
const known = [
  /^(?:diff --git |Index: |--- |\+\+\+ )/,
  /^(?:old|new|deleted file|new file) mode \d+$/,
  /^(?:rename|copy) (?:from|to) ./,
  /^(?:similarity|dissimilarity) index \d+%$/,
  /^index [\da-f,]+\.\.[\da-f]+(?: \d+)?$/,
  /^={60,}$/,
  /^diff -/,
]

/** Every line must be accounted for: a skipped line might be meant to be applied. */
function check(section: DiffSection): void {
  const { header, hunks, line, unread } = section
  const wrong = (why: string): MalformedDiff => new MalformedDiff(`the file at line ${line} ${why}.`)
  if (isBinary(section)) throw wrong('is a binary patch; only text can be changed by a diff')
  if (unread) throw new MalformedDiff(unread.why)
  if (header.length === 0) throw new MalformedDiff(`line ${line} begins a hunk, but no file was named before it.`)
  const odd = header.find((text) => !known.some((pattern) => pattern.test(text)))
  if (odd !== undefined) throw wrong('has a line in its header that is not part of a diff')
  let end = 0
  for (const hunk of hunks) {
    if (!hunk.lines.some(({ op }) => op !== ' ')) throw wrong('has a hunk that changes nothing')
    if (endsTooEarly(hunk)) throw wrong('has a hunk with lines after the end of the file')
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
    if (start < end) throw wrong('has hunks that overlap or are out of order')
    end = start + hunk.oldLines
  }
}

/** A line without a newline must be the last of its side. */
const endsTooEarly = ({ lines }: Hunk): boolean =>
  (['-', '+'] as const).some((side) =>
    lines
      .filter(({ op }) => op === ' ' || op === side)
      .slice(0, -1)
      .some(({ ended }) => !ended),
  )

const nowhere = '/dev/null'

function changeOf(section: DiffSection, prefixed: boolean): FileChange {
  const { hunks, crlf } = section
  const { from, to, git } = namesOf(section, prefixed)
  const wrong = (why: string): MalformedDiff => new MalformedDiff(`the file at line ${section.line} ${why}.`)
  const isMove = git.isRename === true || git.isCopy === true
  if (from === null && to === null) throw wrong('is neither before nor after the change')
  if (from !== null && to !== null && (from !== to) !== isMove)
    throw wrong(isMove ? 'is renamed to itself' : 'has two names but is not renamed; begin them with a/ and b/')
  if (from === null && hunks.some(({ oldLines }) => oldLines > 0))
    throw wrong('is new, but has lines before the change')
  if (to === null && hunks.some(({ newLines }) => newLines > 0))
    throw wrong('is deleted, but has lines after the change')
  const executable = executableOf(git, wrong)
  const isEmpty = hunks.length === 0 && executable === null
  if (isEmpty && from !== null && to !== null && !isMove) throw wrong('is not changed')
  if (hunks.length === 0 && git.isGit !== true) throw wrong('has no hunks')
  return { from, to, copy: git.isCopy === true, executable, hunks, crlf }
}

function executableOf(git: StructuredPatch, wrong: (why: string) => MalformedDiff): boolean | null {
  for (const mode of [git.oldMode, git.newMode])
    if (mode !== undefined && !/^100[67][0-7]{2}$/.test(mode))
      throw wrong(`has the mode ${mode}; only ordinary files can be changed`)
  return git.newMode === undefined ? null : git.newMode.startsWith('1007')
}

type Names = { from: string | null; to: string | null; git: StructuredPatch }

function namesOf({ header, line }: DiffSection, prefixed: boolean): Names {
  const wrong = (why: string): MalformedDiff => new MalformedDiff(`the file at line ${line} ${why}.`)
  for (const quoted of header.map((text) => /^(?:---|\+\+\+|(?:rename|copy) (?:from|to)) (?<name>".*)$/.exec(text)))
    if (quoted !== null && !wellQuoted.test(quoted.groups?.['name'] ?? ''))
      throw wrong('has a name that is badly quoted')
  // Parsed without the --- and +++ lines, to compare them with what Git's own lines say.
  const git = parsed(header.filter((text) => !isNamed(text)))
  const named = header.filter(isNamed)
  const [oldLine, newLine] = named
  const isMove = git.isRename === true || git.isCopy === true
  checkMove(header, git, wrong)
  const bare = isMove ? null : bareName(header)
  let [oldName, newName] = [bare ?? git.oldFileName, bare ?? git.newFileName]
  if (oldLine !== undefined && newLine !== undefined) {
    const plain = parsed(named)
    const [before, after] = [nameIn(oldLine, plain.oldFileName), nameIn(newLine, plain.newFileName)]
    const differs = (here: string, there: string | undefined): boolean =>
      there !== undefined && here !== there && here !== nowhere && !(isMove && there.slice(2) === here)
    if (differs(before, oldName) || differs(after, newName)) throw wrong('has different names in its header')
    if (git.isCreate && before !== nowhere) throw wrong('is marked as new, but has a name before the change')
    if (git.isDelete && after !== nowhere) throw wrong('is marked as deleted, but has a name after the change')
    if (!isMove) [oldName, newName] = [before, after]
  }
  if (oldName === undefined || newName === undefined) throw wrong('has no name')
  if (git.isCreate) oldName = nowhere
  if (git.isDelete) newName = nowhere
  if (/\uFFFD/.test(oldName + newName)) throw wrong('has a name that is not UTF-8')
  return { ...stripped(oldName, newName, isMove || (prefixed && bare === null)), git }
}

/** A move names its source and target once each, and creates or deletes nothing else. */
function checkMove(header: readonly string[], git: StructuredPatch, wrong: (why: string) => MalformedDiff): void {
  const moves = header.flatMap((text) => /^(?:rename|copy) (?:from|to)(?= )/.exec(text) ?? [])
  if (moves.length === 0) return
  const whole = moves.length === 2 && ['rename', 'copy'].some((how) => moves.join() === `${how} from,${how} to`)
  const nowhereNamed = header.some((text) => isNamed(text) && text.slice(4).startsWith(nowhere))
  if (!whole || git.isCreate === true || git.isDelete === true || nowhereNamed)
    throw wrong('is renamed or copied in a way that is not clear')
}

const isNamed = (line: string): boolean => line.startsWith('--- ') || line.startsWith('+++ ')
const wellQuoted = /^"(?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*"(?:\t.*)?$/

function parsed(header: readonly string[]): StructuredPatch {
  try {
    const [patch] = parsePatch(header.join('\n'))
    if (patch !== undefined) return patch
  } catch (error) {
    throw new MalformedDiff(`${error instanceof Error ? error.message : String(error)}.`)
  }
  throw new MalformedDiff('it names no file.')
}

/** Without prefixes, Git's first line has the same name twice: this tells a prefix from a directory named a. */
function bareName(header: readonly string[]): string | null {
  const both = header.find((text) => text.startsWith('diff --git '))?.slice('diff --git '.length) ?? ''
  const half = (both.length - 1) / 2
  const name = both.slice(0, half)
  if (both !== `${name} ${name}` || (name.startsWith('"') && !wellQuoted.test(name))) return null
  return nameIn(`--- ${name}\t`, parsed([`--- ${name}`, `+++ ${name}`]).oldFileName)
}

/** Leading and trailing spaces are part of a name; a tab ends it, and Git adds one after a name with spaces. */
function nameIn(line: string, unquoted: string | undefined): string {
  const rest = line.slice(4)
  if (rest.startsWith('"')) return unquoted ?? ''
  const tab = rest.indexOf('\t')
  return tab === -1 ? rest.trimEnd() : rest.slice(0, tab)
}

function stripped(oldName: string, newName: string, prefixed: boolean): { from: string | null; to: string | null } {
  const isPrefixed =
    prefixed &&
    [oldName.startsWith('a/') || oldName === nowhere, newName.startsWith('b/') || newName === nowhere].every(Boolean)
  const bare = (name: string): string | null => (name === nowhere ? null : isPrefixed ? name.slice(2) : name)
  return { from: bare(oldName), to: bare(newName) }
}
