import { anchorKey, anchorOf, matchesGlob, pushTo, type CommandEntry } from './command-entries.ts'
import { isLauncher } from './launchers.ts'
import { protectedPart } from '../../lib/protected-files.ts'
import type { AskSubject } from '../ask/subject.ts'
import { policySubjectOf } from './policy-subject.ts'
import { wildcardsOverlap } from './wildcard.ts'
import { isSame, keyOf, readWords, type CommandWord } from './command-words.ts'

/** A registered command: its words, and the prefix of the last one if it ends in `*`. */
type RegisteredWords = { readonly words: readonly CommandWord[]; readonly prefix: string | null }

/** The commands of `[commands]`, as far as a policy can allow them. */
export type Registry = {
  /** Whether it equals a registered command, or extends one that ends in `*` by names. */
  allows(words: readonly CommandWord[]): boolean
  /** Whether an entry can ever allow a registered command. */
  covers(entry: CommandEntry): boolean
}

export function readRegistry(texts: readonly string[]): Registry {
  const exact = new Map<string, RegisteredWords[]>()
  const open = new Map<string, RegisteredWords[]>()
  const all: RegisteredWords[] = []
  const byWord = new Map<string, RegisteredWords[]>()
  for (const item of texts.flatMap((text) => readRegistered(text) ?? [])) {
    pushTo(item.prefix === null ? exact : open, keyOf(item.words), item)
    all.push(item)
    for (const [index, { text }] of item.words.entries()) pushTo(byWord, anchorKey(index, text), item)
  }
  const openItems = [...open.values()].flat()
  return {
    allows(words) {
      if (exact.get(keyOf(words))?.some((item) => isSame(item.words, words))) return true
      for (let count = words.length; count > 0; count -= 1) {
        const begin = words.slice(0, count)
        const tail = words.slice(count)
        if (open.get(keyOf(begin))?.some((item) => isSame(item.words, begin) && mayExtend(item, tail))) return true
      }
      return false
    },
    covers(entry) {
      const anchor = anchorOf(entry)
      if (!anchor) return all.some((item) => canMatch(entry, item))
      const named = byWord.get(anchorKey(anchor.index, anchor.word)) ?? []
      return (
        named.some((item) => canMatch(entry, item)) ||
        openItems.some((item) => item.words.length <= anchor.index && canMatch(entry, item))
      )
    },
  }
}

function readRegistered(text: string): RegisteredWords | null {
  const words = readWords(text)
  const last = words?.at(-1)
  if (!words || !last) return null
  const isOpen = words.length > 1 && last.raw === last.text && /^[^*?[\]{}$~]*\*$/.test(last.text)
  if (!isOpen) return { words, prefix: null }
  return isLauncher(words[0]?.text ?? '') ? null : { words: words.slice(0, -1), prefix: last.text.slice(0, -1) }
}

function mayExtend({ prefix }: RegisteredWords, tail: readonly CommandWord[]): boolean {
  if (prefix === '') return tail.every(isPlainArgument)
  const [only] = tail
  return prefix !== null && tail.length === 1 && only !== undefined && extendsPrefix(only, prefix)
}

/**
 * What may replace the `*` at the end of a registered command: names and paths in the workspace. No options (`--output=…`,
 * `-c core.pager=…` and `--exec` make harmless programs run others), no assignments, no addresses, nothing outside.
 */
const isPlainArgument = ({ plain, text }: CommandWord): boolean =>
  plain && isName(text) && !isAddress(text) && protectedPart(text) === null
const isName = (text: string): boolean =>
  /^[A-Za-z0-9_.][A-Za-z0-9_./:@,+-]*$/.test(text) && !/(^|[/:])\.\.(\/|$)|::|\/\/|^[A-Za-z]:/.test(text)

/**
 * `host:path` and `git@host:x` lead to other machines and look like `HEAD:file` and `file:12`: a colon is never allowed.
 * After an `@` only a version is allowed: `pkg@1.2.3`.
 */
const isAddress = (text: string): boolean =>
  text.includes(':') || /@(?!v?\d{1,5}(\.\d{1,5}){0,2}([-+][\w.+-]*)?$)/.test(text)

/** Whether a word matches a registered word with an open end: `test:*`, `docs/*`, `-*`. */
function extendsPrefix({ text, plain }: CommandWord, prefix: string): boolean {
  const end = text.slice(prefix.length)
  if (!plain || !text.startsWith(prefix) || end === '' || end.startsWith('/')) return false
  // If the registered prefix has a colon, more are allowed: `test:*` also covers `test:unit:fast`.
  if (isAddress(prefix.includes(':') ? end.replaceAll(':', '') : end)) return false
  return isName(`_${end}`) && !/(^|[/=:])\.\.(\/|$)/.test(text) && protectedPart(text) === null
}

function canMatch({ globs, rest }: CommandEntry, { words, prefix }: RegisteredWords): boolean {
  for (const [index, { text }] of words.entries()) {
    const glob = globs[index]
    if (glob ? !matchesGlob(glob, text) : !rest) return false
  }
  const more = globs.slice(words.length)
  if (prefix === null) return more.length === 0
  if (prefix === '') return more.every(({ text }) => !/[^\w./:@,+*?-]/.test(text) && !text.startsWith('-'))
  const [only] = more
  return more.length < 2 && (only === undefined ? rest : wildcardsOverlap(only.text, `${prefix}*`))
}

/** Whether an ask runs a command of `[commands]`, word for word, in the workspace of its session. */
export function isRegistered(subject: AskSubject, registry: readonly string[], workspaceRoot: string): boolean {
  if (registry.length === 0) return false
  const asked = policySubjectOf(subject, { workspaceRoot })
  const words = asked?.kind === 'command' ? readWords(asked.command) : null
  if (!words) return false
  return registry.some((text) => {
    const known = readWords(text)
    return known !== null && isSame(known, words)
  })
}
