import { canonicalJson } from '../../lib/json.ts'
import { protectedPart } from '../../lib/protected-files.ts'
import { sha256 } from '../../lib/secret.ts'
import { visibleLine } from '../../lib/shell-words.ts'
import { policySubjectOf, type PolicyScope } from '../policy/policy-subject.ts'
import type { AskSubject } from './subject.ts'

/** What "allow for this session" covers: asks with this key; `what` is what people read before they choose. */
export type Allowable = { readonly key: string; readonly what: string }

const longest = 300

/** Exactly what an ask is about, as a typed value; null if it can only be allowed once. */
export function allowableOf(subject: AskSubject, about: PolicyScope): Allowable | null {
  if (subject.kind === 'command') {
    // What was masked can't be told from another secret.
    if (subject.masked === true) return null
    const { command, cwd, run = null } = subject
    const place = cwd === about.workspaceRoot ? '' : ` in ${cwd}`
    return of({ kind: 'command', command, cwd, run }, `the command ${visibleLine(command, longest)}${place}`)
  }
  const asked = policySubjectOf(subject, about)
  switch (asked?.kind) {
    case 'command': {
      const { command } = asked
      return of({ kind: 'command', command, cwd: about.workspaceRoot }, `the command ${visibleLine(command, longest)}`)
    }
    case 'files':
      return ofFiles(asked.access, asked.paths)
    case 'tool': {
      const { tool, filePath, access = null } = asked
      if (filePath === undefined) return of({ kind: 'tool', tool }, `the tool ${visibleLine(tool, longest)}`)
      if (protectedPart(filePath, 'write') !== null) return null
      return of({ kind: 'tool', tool, filePath, access }, `the tool ${visibleLine(tool, longest)} on ${filePath}`)
    }
    default:
      return null
  }
}

function ofFiles(access: 'write' | 'read', paths: readonly string[]): Allowable | null {
  if (paths.some((path) => protectedPart(path, access) !== null)) return null
  const sorted = paths.toSorted()
  const verb = access === 'write' ? 'changes of' : 'reading'
  return of({ kind: 'files', access, paths: sorted }, `${verb} ${visibleLine(sorted.join(', '), longest)}`)
}

const of = (about: object, what: string): Allowable => ({ key: sha256(canonicalJson(about)), what })
