import { parsePatch, type StructuredPatch } from 'diff'
import { isBinary } from './scan-diff.ts'

/** What can be read from the header of a file. `from` is the name before a rename or a copy. */
export type LooseHeader = {
  path: string
  from: string | null
  change: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied'
  oldMode: string | null
  newMode: string | null
  binary: boolean
}

const nowhere = '/dev/null'

/** For display and counting, including diffs that can't be applied. `name` is used if the diff has none. */
export function readLooseHeader(header: string[], name: string): LooseHeader {
  const patch = parsed(header)
  const [oldName, newName] = namesOf(header, patch)
  const created = patch.isCreate === true || oldName === nowhere
  const deleted = patch.isDelete === true || newName === nowhere
  const [from, to] = withoutPrefixes(oldName, newName)
  const moved = patch.isRename === true || (from !== null && to !== null && from !== to && !created && !deleted)
  const change =
    patch.isCopy === true ? 'copied' : moved ? 'renamed' : created ? 'added' : deleted ? 'deleted' : 'modified'
  return {
    path: (deleted ? from : to) ?? to ?? from ?? name,
    from: change === 'renamed' || change === 'copied' ? from : null,
    change,
    oldMode: patch.oldMode ?? null,
    newMode: patch.newMode ?? null,
    binary: isBinary({ header }),
  }
}

type Header = Omit<StructuredPatch, 'hunks'>

function parsed(header: readonly string[]): Header {
  try {
    return parsePatch(header.join('\n'))[0] ?? noPatch
  } catch {
    return noPatch
  }
}
const noPatch: Header = { oldFileName: undefined, newFileName: undefined, oldHeader: undefined, newHeader: undefined }

function namesOf(header: readonly string[], patch: Header): [string | null, string | null] {
  const named = (sign: string, read: string | undefined): string | null => {
    const line = header.find((text) => text.startsWith(sign))?.slice(sign.length)
    if (line === undefined) return read ?? null
    if (line.startsWith('"')) return read ?? line
    // Trailing blanks belong to a name only if a tab follows them.
    const tab = line.indexOf('\t')
    return tab === -1 ? line.trimEnd() : line.slice(0, tab)
  }
  if (patch.isRename === true || patch.isCopy === true) return [patch.oldFileName ?? null, patch.newFileName ?? null]
  const fallback = patch.index ?? bareName(header)
  return [named('--- ', patch.oldFileName) ?? fallback, named('+++ ', patch.newFileName) ?? fallback]
}

/** Without prefixes, Git's first line has the same name twice. */
function bareName(header: readonly string[]): string | null {
  const both = header.find((text) => text.startsWith('diff --git '))?.slice('diff --git '.length) ?? ''
  const name = both.slice(0, (both.length - 1) / 2)
  return name !== '' && both === `${name} ${name}` ? name : null
}

function withoutPrefixes(oldName: string | null, newName: string | null): [string | null, string | null] {
  const fits = (name: string | null, prefix: string): boolean =>
    name === null || name === nowhere || name.startsWith(prefix)
  const prefixed = fits(oldName, 'a/') && fits(newName, 'b/')
  const bare = (name: string | null): string | null => {
    if (name === null || name === nowhere) return null
    return prefixed ? name.slice(2) : name
  }
  return [bare(oldName), bare(newName)]
}
