import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff'
import type { Edit } from './tool-call.ts'

/** Context lines; the rest can be unfolded unless it is too large for a page. */
const context = 3
const mostLines = 20_000
/** Beyond this many steps the file is shown as replaced. */
const mostSteps = 4000

/** Changes reported by an agent, as one unified diff. */
export const diffOfEdits = (edits: readonly Edit[]): string => edits.map(diffOfEdit).join('')

function diffOfEdit({ path, oldText, newText }: Edit): string {
  // A name must not contain a line break.
  const name = path.replaceAll(/[\r\n\t]/g, ' ')
  const [from, to] = [oldText === null ? '/dev/null' : `a/${name}`, `b/${name}`]
  const all = linesOf(oldText ?? '').length + linesOf(newText).length <= mostLines
  const options = { context: all ? Number.POSITIVE_INFINITY : context, maxEditLength: mostSteps }
  const patch = structuredPatch(from, to, oldText ?? '', newText, undefined, undefined, options)
  const text = patch ? formatPatch(patch, FILE_HEADERS_ONLY) : replaced(from, to, oldText ?? '', newText)
  return text.endsWith('\n') ? text : `${text}\n`
}

function replaced(from: string, to: string, before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)]
  const range = (lines: readonly string[]) => `${lines.length === 0 ? 0 : 1},${lines.length}`
  const head = [`--- ${from}`, `+++ ${to}`, `@@ -${range(old)} +${range(now)} @@`]
  return [...head, ...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`), ''].join('\n')
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
