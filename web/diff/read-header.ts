import { parsePatch, type StructuredPatch } from 'diff'
import { emptyFile, type DiffFile } from './diff-model.ts'

const nowhere = '/dev/null'

/** Parses the lines before the first hunk of a file. `name` is used if the diff has none. */
export function fileOfHeader(header: readonly string[], name: string): DiffFile {
  const patch = parsed(header)
  const [oldName, newName] = namesOf(header, patch)
  const created = patch.isCreate === true || oldName === nowhere
  const deleted = patch.isDelete === true || newName === nowhere
  const [from, to] = withoutPrefixes(oldName, newName)
  const moved = patch.isRename === true || patch.isCopy === true
  const file = emptyFile((deleted ? from : to) ?? to ?? from ?? name, 'modified')
  if (patch.isCopy === true) file.change = 'copied'
  else if (moved || (from !== null && to !== null && from !== to && !created && !deleted)) file.change = 'renamed'
  else if (created) file.change = 'added'
  else if (deleted) file.change = 'deleted'
  if (file.change === 'renamed' || file.change === 'copied') file.from = from
  file.oldMode = patch.oldMode ?? null
  file.newMode = patch.newMode ?? null
  file.binary = header.some((line) => /^(?:GIT binary patch$|Binary files )/.test(line))
  return file
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
    // Trailing spaces belong to a name only if a tab follows.
    const tab = line.indexOf('\t')
    return tab === -1 ? line.trimEnd() : line.slice(0, tab)
  }
  if (patch.isRename === true || patch.isCopy === true) return [patch.oldFileName ?? null, patch.newFileName ?? null]
  const fallback = patch.index ?? bareName(header)
  return [named('--- ', patch.oldFileName) ?? fallback, named('+++ ', patch.newFileName) ?? fallback]
}

/** Without prefixes, Git's first line repeats the same name. */
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
