import { emptyFile, type DiffFile, type ReadDiff } from './diff-model.ts'
import { fileOfHeader } from './read-header.ts'
import { readHunk, wholeHunk } from './read-hunk.ts'
import { withContext } from './fill-context.ts'

/** The most lines a page can carry. */
export const mostLines = 200_000

/** Whether a text is a diff; otherwise it is the whole content of a file. The server applies the same rule. */
export function readsAsDiff(text: string): boolean {
  const start = /[^\s\uFEFF]/.exec(text)?.index ?? text.length
  const body = text.slice(start)
  const has = (line: RegExp): boolean => line.test(body)
  if (/^(?:diff --git |@@ -\d|From [\da-f]{40} Mon Sep 17 00:00:00 2001)/.test(body)) return true
  if (/^--- \S/.test(body)) return has(/^(?:\+\+\+ |@@ -\d)/m)
  if (body.startsWith('+++ ')) return has(/^@@ -\d/m)
  return /^(?:Index: |diff -)/.test(body) && has(/^(?:--- |@@ -\d|={60,}\r?$)/m)
}

/** Parses a diff of any quality. Lines that are not part of it are kept as unread, so that nothing is hidden. */
export function readDiff(text: string, name: string): ReadDiff {
  const { lines, ended, leftOut } = cut(text.replace(/^\uFEFF/, ''))
  return { files: readsAsDiff(text) ? readFiles(lines, name) : [wholeFile(lines, ended, name)], leftOut }
}

/** Whole content, shown as its changes; if those do not produce it, as is. */
export function readWhole(change: string, whole: string, name: string): ReadDiff & { misfit: boolean } {
  const read = readDiff(change, name)
  const [only, ...more] = read.files
  const file = only && more.length === 0 && read.leftOut === 0 ? withContext(only, whole) : null
  if (file) return { files: [file], leftOut: 0, misfit: false }
  const { lines, ended, leftOut } = cut(whole)
  return { files: [wholeFile(lines, ended, name)], leftOut, misfit: true }
}

function cut(text: string): { lines: string[]; ended: boolean; leftOut: number } {
  const lines = text.split('\n')
  const ended = lines.at(-1) === ''
  if (ended) lines.pop()
  const leftOut = Math.max(0, lines.length - mostLines)
  if (leftOut > 0) lines.length = mostLines
  return { lines, ended: ended || leftOut > 0, leftOut }
}

function wholeFile(lines: readonly string[], ended: boolean, name: string): DiffFile {
  const file = { ...emptyFile(name, 'added'), added: lines.length }
  if (lines.length > 0) file.hunks = [wholeHunk(lines, ended)]
  return file
}

function readFiles(lines: readonly string[], name: string): DiffFile[] {
  const files: DiffFile[] = []
  let at = 0
  while (at < lines.length) {
    if (plain(lines, at) === '') at += 1
    else if (beginsFile(lines, at)) {
      const { file, next } = readFile(lines, at, name)
      files.push(file)
      at = next
    } else {
      const next = endOfUnread(lines, at + 1)
      files.push({ ...emptyFile(name, 'unread'), unread: { line: at + 1, lines: lines.slice(at, next) } })
      at = next
    }
  }
  return files
}

const plain = (lines: readonly string[], index: number): string => {
  const line = lines[index] ?? ''
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

const beginsFile = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? ''
  if (line.startsWith('diff ') || line.startsWith('Index: ') || line.startsWith('@@ -')) return true
  return line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')
}

/** A line that certainly starts a file. */
function endOfUnread(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line.startsWith('diff --git ')) return at
    if (line.startsWith('--- ') && beginsFile(lines, at) && (lines[at + 2] ?? '').startsWith('@@ -')) return at
  }
  return lines.length
}

function readFile(lines: readonly string[], start: number, name: string): { file: DiffFile; next: number } {
  const header = readHeader(lines, start)
  const file = fileOfHeader(header.lines, name)
  let at = header.next
  while (!file.binary && (lines[at] ?? '').startsWith('@@')) {
    const read = readHunk(lines, at)
    if (read === null) break
    file.hunks.push(read.hunk)
    for (const { op } of read.hunk.lines) {
      if (op === '+') file.added += 1
      if (op === '-') file.removed += 1
    }
    at = read.next
  }
  while (at < lines.length && plain(lines, at) === '') at += 1
  const isHunk = (lines[at] ?? '').startsWith('@@')
  if (at >= lines.length || (beginsFile(lines, at) && !isHunk)) return { file, next: at }
  const next = endOfUnread(lines, at + 1)
  file.unread = { line: at + 1, lines: lines.slice(at, next) }
  return { file, next }
}

const known =
  /^(?:(?:old|new|deleted file|new file) mode \d|(?:rename|copy) (?:from|to) |(?:dis)?similarity index |index [\da-f]|={60}|diff -|Binary files )/

function readHeader(lines: readonly string[], start: number): { lines: string[]; next: number } {
  const header: string[] = []
  let named = false
  for (let at = start; at < lines.length; at += 1) {
    const line = plain(lines, at)
    if (line === '' || line.startsWith('@@')) return { lines: header, next: at }
    if (line.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ '))
      return { lines: [...header, line, plain(lines, at + 1)], next: at + 2 }
    if (line === 'GIT binary patch') return { lines: [...header, line], next: endOfBinary(lines, at + 1) }
    if (line.startsWith('diff --git ') || line.startsWith('Index: ')) {
      if (named) return { lines: header, next: at }
      named = true
    } else if (!known.test(line)) return { lines: header, next: at }
    header.push(line)
  }
  return { lines: header, next: lines.length }
}

/** Binary data uses its own alphabet; it ends where a file or other text starts. */
function endOfBinary(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && /^(?:literal \d+|delta \d+|[A-Za-z][\w!#$%&()*+;<=>?@^`{|}~-]+)?$/.test(plain(lines, at)))
    at += 1
  return at
}
